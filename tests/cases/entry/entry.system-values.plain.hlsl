// RUN: -T vs_6_0 -E main
// RUN: not -T vs_6_0 -E wrong --check-prefix=WRONG

// A system value that a vertex shader is handed as an attribute has a location, and any type.
// CHECK-DAG: OpDecorate %in_var_SV_Position Location 0
// CHECK-DAG: OpDecorate %in_var_SV_RenderTargetArrayIndex Location 1
// CHECK-DAG: OpDecorate %in_var_SV_ViewportArrayIndex Location 2
// CHECK-DAG: OpDecorate %in_var_SV_ClipDistance Location 3
// CHECK-DAG: %in_var_SV_Position = OpVariable %_ptr_Input_v4int Input
// CHECK-DAG: %in_var_SV_RenderTargetArrayIndex = OpVariable %_ptr_Input_v3uint Input
// CHECK-DAG: %in_var_SV_ViewportArrayIndex = OpVariable %_ptr_Input_v2float Input
// CHECK-DAG: %in_var_SV_ClipDistance = OpVariable %_ptr_Input_v2int Input
float4 main(
    int4 p : SV_Position, uint3 layer : SV_RenderTargetArrayIndex, float2 view : SV_ViewportArrayIndex,
    int2 clip : SV_ClipDistance
) : SV_Position {
    return p + layer.xyzx + view.xyxy + clip.xyxy;
}

// WRONG: error: SV_Position must be of type 'float4'
int4 wrong(int4 p : SV_Position) : SV_Position { return p; }
