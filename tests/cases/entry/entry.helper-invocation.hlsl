// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main -fspv-target-env=vulkan1.3 -fcgl --check-prefix=INPUT
// RUN: -T ps_6_0 -E main --check-prefix=FINAL
// RUN: -T ps_6_0 -E main -O0 --check-prefix=PLAIN

// Below Vulkan 1.3 the extension's instruction is asked before all else, and a private variable keeps the answer.

// CHECK: OpCapability DemoteToHelperInvocation
// CHECK: OpExtension "SPV_EXT_demote_to_helper_invocation"
// CHECK-NOT: BuiltIn HelperInvocation
// CHECK: %HelperInvocation = OpVariable %_ptr_Private_bool Private
// CHECK: %main = OpFunction
// CHECK-NEXT: OpLabel
// CHECK: OpFunctionCall %void %module_init
// CHECK: OpLoad %bool %HelperInvocation
// CHECK: %module_init = OpFunction %void None
// CHECK: [[helper:%[0-9]+]] = OpIsHelperInvocationEXT %bool
// CHECK-NEXT: OpStore %HelperInvocation [[helper]]

// INPUT-NOT: OpIsHelperInvocationEXT
// INPUT: OpDecorate %gl_HelperInvocation BuiltIn HelperInvocation
// INPUT-NOT: module_init

// PLAIN-NOT: Flat
// PLAIN: OpIsHelperInvocationEXT

// FINAL: OpIsHelperInvocationEXT
// FINAL-NOT: OpFunctionCall

float4 main([[vk::builtin("HelperInvocation")]] bool helper : HELPER) : SV_Target { return ddx(helper ? 1.0 : 0.0); }
