// Variables in a storage class of descriptors get a set and a binding, like resources.
// RUN: -T cs_6_0 -fspv-target-env=vulkan1.1

typedef vk::SpirvOpaqueType</* OpTypeImage */ 25, float, vk::Literal<vk::integral_constant<uint, 1> >,
    vk::Literal<vk::integral_constant<uint, 0> >, vk::Literal<vk::integral_constant<uint, 0> >,
    vk::Literal<vk::integral_constant<uint, 0> >, vk::Literal<vk::integral_constant<uint, 2> >,
    vk::Literal<vk::integral_constant<uint, 1> > > Image;
[[vk::ext_instruction(/* OpImageRead */ 98)]] float4 read(Image i, int2 at);

// CHECK-DAG: OpDecorate %chosen DescriptorSet 1
// CHECK-DAG: OpDecorate %chosen Binding 2
[[vk::ext_storage_class(/* UniformConstant */ 0), vk::binding(2, 1)]] Image chosen;
// CHECK-DAG: OpDecorate %registered DescriptorSet 0
// CHECK-DAG: OpDecorate %registered Binding 3
[[vk::ext_storage_class(0)]] Image registered : register(u3);
// CHECK-DAG: OpDecorate %next DescriptorSet 0
// CHECK-DAG: OpDecorate %next Binding 0
[[vk::ext_storage_class(0)]] Image next[2];
// CHECK-DAG: OpDecorate %decorated DescriptorSet 4
// CHECK-DAG: OpDecorate %decorated Binding 5
[[vk::ext_storage_class(0), vk::ext_decorate(33, 5), vk::ext_decorate(34, 4)]] Image decorated;
// CHECK-DAG: OpDecorate %texture DescriptorSet 0
// CHECK-DAG: OpDecorate %texture Binding 1
[[vk::ext_storage_class(0)]] Texture2D<float4> texture;
RWStructuredBuffer<float4> result;

// CHECK-DAG: %chosen = OpVariable {{%.*}} UniformConstant
// CHECK-DAG: %next = OpVariable {{%.*}} UniformConstant
// CHECK-DAG: %texture = OpVariable {{%.*}} UniformConstant
[numthreads(1, 1, 1)] void main() {
    result[0] = read(chosen, 0) + read(registered, 0) + read(next[1], 0) + read(decorated, 0) + texture.Load(0);
}
