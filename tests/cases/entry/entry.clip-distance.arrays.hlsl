// RUN: -T ps_6_0 -E main -fcgl

// Arrays of vectors: each vector is put together before the next is loaded.

struct Distances { float2 a[2] : SV_ClipDistance0; float3 b[1] : SV_ClipDistance1; float c : SV_CullDistance; };

// CHECK: %_arr_float_uint_7 = OpTypeArray %float %uint_7
// CHECK: OpAccessChain %_ptr_Input_float %gl_ClipDistance %uint_0
// CHECK: OpAccessChain %_ptr_Input_float %gl_ClipDistance %uint_1
// CHECK: [[a0:%[0-9]+]] = OpCompositeConstruct %v2float
// CHECK: OpAccessChain %_ptr_Input_float %gl_ClipDistance %uint_2
// CHECK: OpAccessChain %_ptr_Input_float %gl_ClipDistance %uint_3
// CHECK: [[a1:%[0-9]+]] = OpCompositeConstruct %v2float
// CHECK: [[a:%[0-9]+]] = OpCompositeConstruct %_arr_v2float_uint_2 [[a0]] [[a1]]
// CHECK: OpAccessChain %_ptr_Input_float %gl_ClipDistance %uint_4
// CHECK: OpAccessChain %_ptr_Input_float %gl_ClipDistance %uint_6
// CHECK: [[b0:%[0-9]+]] = OpCompositeConstruct %v3float
// CHECK: [[b:%[0-9]+]] = OpCompositeConstruct %_arr_v3float_uint_1 [[b0]]
// CHECK: [[c:%[0-9]+]] = OpLoad %float
// CHECK: OpCompositeConstruct %Distances [[a]] [[b]] [[c]]
float4 main(Distances d) : SV_Target { return d.a[1].xyxy + d.b[0].zyxx + d.c; }
