// RUN: -T ps_6_0 -E main -fcgl -Vd

// CHECK: OpEntryPoint Fragment %main "main" %gl_SampleID [[stencil:%[0-9]+]] %in_var_A %out_var_SV_Target
// CHECK: OpExecutionMode %main StencilRefReplacingEXT
// CHECK-DAG: OpDecorate [[stencil]] BuiltIn FragStencilRefEXT
// CHECK-DAG: OpDecorate %in_var_A Location 5
// CHECK-DAG: OpDecorate %in_var_A ExplicitInterpAMD
// CHECK-DAG: OpDecorate %out_var_SV_Target Location 3
// CHECK-DAG: OpMemberDecorate %S 0 RelaxedPrecision
// CHECK-DAG: OpDecorate %twice RelaxedPrecision
// CHECK-DAG: OpDecorateId %n UniformId %int_3
// CHECK-DAG: OpDecorateString %n UserSemantic "count"
[[vk::ext_builtin_input(/* SampleId */ 18)]] static const int sample_id;
[[vk::ext_extension("SPV_EXT_shader_stencil_export"), vk::ext_builtin_output(/* FragStencilRefEXT */ 5014)]]
static int stencil;

struct S { [[vk::ext_decorate(/* RelaxedPrecision */ 0)]] float f; };

[[vk::ext_decorate(/* RelaxedPrecision */ 0)]] [noinline] float twice(float x) { return x + x; }

[[vk::ext_decorate(/* Location */ 30, 3)]]
float4 main([[vk::location(5), vk::ext_decorate(/* ExplicitInterpAMD */ 4999)]] float a : A) : SV_Target {
  vk::ext_execution_mode(/* StencilRefReplacingEXT */ 5027);
  [[vk::ext_decorate_id(/* UniformId */ 27, 3), vk::ext_decorate_string(/* UserSemantic */ 5635, "count")]] int n = 1;
  S s;
  s.f = twice(a);
  stencil = sample_id + n;
  return s.f;
}
