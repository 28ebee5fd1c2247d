// RUN: -T cs_6_0 -E main -HV 2016 array.bounds.2016.hlsl
// RUN: -T cs_6_0 -E main -HV 2016 -O0 array.bounds.2016.hlsl
// RUN: not -T cs_6_0 -E main -HV 2017 array.bounds.2016.hlsl --check-prefix=REFUSED

// HLSL 2016 accepts constant indices outside of an array; a negative one is unsigned, for spirv-val.
// CHECK: OpAccessChain %_ptr_Function_float {{%\w+}} %int_2
// CHECK: OpAccessChain %_ptr_Function_float {{%\w+}} %uint_4294967295
// REFUSED: error: array index 2 is out of bounds
RWBuffer<float> o;
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { float a[2] = { 1, 2 }; a[2] = 5; o[0] = a[-1] + a[i]; }
