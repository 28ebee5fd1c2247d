// The type of a struct does not list its methods, which name it as their scope: RenderDoc cannot read forward references.
// RUN: -T ps_6_0 -E main -fspv-debug=vulkan -fcgl
// RUN: -T ps_6_0 -E main -fspv-debug=vulkan-with-source -O0 --check-prefix=TEXT
// RUN: -T ps_6_0 -E main -fspv-debug=vulkan-with-source-test -fcgl --check-prefix=LONG
struct S {
    float3x4 m;
    float get(int i) { return m[0][i]; }
};
static S s;
float4 main(int i : I) : SV_Target {
    return s.get(i) + s.m[1][2];
}

// CHECK: OpExtension "SPV_KHR_non_semantic_info"
// CHECK: [[set:%[0-9]+]] = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
// CHECK-DAG: [[name:%[0-9]+]] = OpString "S.get"
// CHECK-DAG: OpString "__dxc_setup"
// CHECK-DAG: OpString " -T ps_6_0 -E main -fspv-debug=vulkan -fcgl -spirv"
// CHECK: DebugTypeBasic %{{[0-9]+}} %uint_32 %uint_3 %uint_0
// CHECK: DebugTypeMatrix %{{[0-9]+}} %uint_3 %uint_1
// CHECK: [[s:%[0-9]+]] = OpExtInst %void [[set]] DebugTypeComposite %{{[0-9]+}} %uint_1 [[source:%[0-9]+]] %uint_5 %uint_8 {{.*}} %uint_384 %uint_3 %{{[0-9]+$}}
// CHECK: OpExtInst %void [[set]] DebugFunction [[name]] %{{[0-9]+}} [[source]] %uint_7 %uint_5 [[s]]
// CHECK: DebugEntryPoint
// CHECK: %main = OpFunction
// CHECK: DebugFunctionDefinition %{{[0-9]+}} %main
// CHECK: %src_main = OpFunction
// CHECK: DebugFunctionDefinition %{{[0-9]+}} %src_main
// CHECK: DebugLine [[source]] %uint_11 %uint_11 %uint_12 %uint_19
// CHECK-NEXT: OpFunctionCall %float %S_get

// TEXT: OpString "// The type of a struct
// TEXT-NOT: {{OpExtInstWith}}ForwardRefsKHR %void

// LONG: DebugSource %{{[0-9]+}} %{{[0-9]+}}
// LONG-NEXT: DebugSourceContinued
