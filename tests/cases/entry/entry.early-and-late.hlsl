// RUN: -T ps_6_0 -E main -fcgl
// RUN: not -T ps_6_0 -E twice --check-prefix=TWICE
// RUN: -T ps_6_0 -E modes -fcgl --check-prefix=MODES

// CHECK: OpExtension "SPV_AMD_shader_early_and_late_fragment_tests"
// CHECK: OpExecutionMode %main EarlyAndLateFragmentTestsAMD
// CHECK: OpExecutionMode %main DepthUnchanged
// CHECK: OpExecutionMode %main StencilRefLessFrontAMD
// CHECK: OpExecutionMode %main StencilRefGreaterBackAMD
[[vk::early_and_late_tests, vk::depth_unchanged]]
[[vk::stencil_ref_less_equal_front, vk::stencil_ref_greater_equal_back]]
void main() {}

// TWICE: more than one of stencil_ref_unchanged_back, stencil_ref_greater_equal_back, and stencil_ref_less_equal_back.
[[vk::early_and_late_tests, vk::stencil_ref_less_equal_back, vk::stencil_ref_unchanged_back]]
void twice() {}

// MODES: OpExecutionMode %modes DepthLess
// MODES: OpExecutionMode %modes PostDepthCoverage
[[vk::spvexecutionmode(4446), vk::spvexecutionmode(15)]]
void modes() {}
