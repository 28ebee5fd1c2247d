// RUN: not -T ps_6_0 -E main
// RUN: -T cs_6_0 -E compute -fcgl --check-prefix=UNUSED

struct S { float f; };
#if __SHADER_TARGET_STAGE != __SHADER_STAGE_COMPUTE
// CHECK-DAG: :3: error: vk::push_constant attribute cannot be used together with vk::binding attribute
[[vk::push_constant, vk::binding(5)]] S constants;
// CHECK-DAG: specialization constant must be externally visible
[[vk::constant_id(5)]] static const int hidden = 1;
// CHECK-DAG: SubpassInput(MS) must be externally visible
[[vk::input_attachment_index(1)]] static SubpassInput local;
// CHECK-DAG: only scalar/vector types allowed as SubpassInput(MS) parameter type
[[vk::input_attachment_index(2)]] SubpassInput<S> record;
#endif

// UNUSED: %compute = OpFunction
// UNUSED-NOT: %subpass
[[vk::input_attachment_index(0)]] SubpassInput subpass;

float4 main() : SV_Target { return subpass.SubpassLoad(); }
[numthreads(1, 1, 1)] void compute() {}
