// RUN: -T gs_6_0 -E main -fcgl stage.geometry.hlsl

// CHECK: OpEntryPoint Geometry %main "main"
// CHECK: OpExecutionMode %main OutputVertices 4
// CHECK: OpExecutionMode %main Invocations 2
// CHECK: OpExecutionMode %main InputLines
// CHECK: OpExecutionMode %main OutputTriangleStrip
// CHECK: OpDecorate %gl_Layer BuiltIn Layer

struct In { float4 place : PLACE; bool lit : LIT; };
struct Out { float4 position : SV_Position; bool lit : LIT; uint layer : SV_RenderTargetArrayIndex; };

// The stream may be handed on: a vertex goes to the outputs of its type.
void emit(float4 place, bool lit, uint layer, inout TriangleStream<Out> stream) {
  Out o;
  o.position = place;
  o.lit = lit;
  o.layer = layer;
  stream.Append(o);
}

// CHECK: OpLoad %_arr_v4float_uint_2 %in_var_PLACE
// CHECK: OpLoad %_arr_uint_uint_2 %in_var_LIT
// CHECK: OpINotEqual %bool
// CHECK: OpCompositeConstruct %_arr_bool_uint_2
// CHECK: OpCompositeConstruct %_arr_In_uint_2
// CHECK: %emit = OpFunction %void
// CHECK: [[o:%[0-9]+]] = OpLoad %Out
// CHECK: [[place:%[0-9]+]] = OpCompositeExtract %v4float [[o]] 0
// CHECK: OpStore %gl_Position [[place]]
// CHECK: [[lit:%[0-9]+]] = OpCompositeExtract %bool [[o]] 1
// CHECK: [[number:%[0-9]+]] = OpSelect %uint [[lit]]
// CHECK: OpStore %out_var_LIT [[number]]
// CHECK: OpStore %gl_Layer
// CHECK-NEXT: OpEmitVertex

[maxvertexcount(4)]
[instance(2)]
void main(line In vertices[2], uint instance : SV_GSInstanceID, inout TriangleStream<Out> stream) {
  for (uint i = 0; i < 2; ++i)
    emit(vertices[i].place, vertices[i].lit, instance, stream);
  stream.RestartStrip();
}
