// RUN: -T cs_6_6 -E main -fcgl attribute.wavesize.hlsl
// RUN: not -T cs_6_6 -E main -fcgl -WX attribute.wavesize.hlsl --check-prefix=ERROR

// CHECK: OpExecutionMode %main LocalSize 32 1 1
// CHECK-NOT: SubgroupSize
// ERROR: Wave size is not supported by Vulkan SPIR-V. Consider using VK_EXT_subgroup_size_control.
[WaveSize(32)]
[numthreads(32, 1, 1)]
void main() {
}
