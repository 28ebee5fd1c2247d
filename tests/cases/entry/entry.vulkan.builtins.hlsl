// RUN: -T vs_6_0 -E vertex -fspv-target-env=vulkan1.1 -fcgl
// RUN: -T ps_6_0 -E covered -fcgl --check-prefix=COVERED

// CHECK: OpCapability DrawParameters
// CHECK: BuiltIn DrawIndex
// CHECK: BuiltIn PointSize
struct V { float4 at : SV_Position; [[vk::builtin("PointSize")]] float size : SIZE; };
V vertex([[vk::builtin("DrawIndex")]] int draw : DRAW) {
    V v;
    v.at = draw;
    v.size = 2;
    return v;
}

// COVERED: OpCapability SampleMaskPostDepthCoverage
// COVERED: OpExtension "SPV_KHR_post_depth_coverage"
// COVERED: OpExecutionMode %covered EarlyFragmentTests
// COVERED: OpExecutionMode %covered PostDepthCoverage
[[vk::post_depth_coverage]] [earlydepthstencil]
float4 covered(uint mask : SV_Coverage) : SV_Target { return mask; }
