// RUN: -T ps_6_0 -E main -O0
// RUN: -T ps_6_0 -E main -fspv-flatten-resource-arrays -DFLATTENED --check-prefix=FLAT
// RUN: -T ps_6_0 -E main -DLOCAL --check-prefix=LOCAL
// RUN: not -T ps_6_0 -E main -DSTRUCTS --check-prefix=STRUCTS

// A specialisation constant is no known index of a resource: its default is not taken for its value.
[[vk::constant_id(0)]] const uint k = 0;
[[vk::constant_id(1)]] const int m = 0;
Texture2D grid[2][3];
Texture2D row[4];
Texture2D a, b, c, d;
struct S { float4 x; Texture2D t; };
struct R { Texture2D t; SamplerState s; };
R rs[2];

float4 main(nointerpolation uint i : I) : SV_Target {
#ifdef LOCAL
// LOCAL: OpSwitch %k
// LOCAL: OpIMul %uint %k
// LOCAL: OpSwitch
  S s[2];
  s[0].t = a; s[1].t = b; s[0].x = 1; s[1].x = 2;
  float4 sum = s[k].t.Load(0) + s[i].x;
  Texture2D t[2][2] = { a, b, c, d };
  return sum + t[k][1].Load(0);
#elif defined(STRUCTS)
// STRUCTS: 'rs' cannot be taken apart into single resources: its index is not known at compile time
  return rs[k].t.Load(0);
#elif defined(FLATTENED)
// FLAT: OpSwitch %k
// FLAT: OpSwitch %m
  return row[k].Load(0) + row[m].Load(0);
#else
// CHECK: [[i:%[0-9]+]] = OpLoad %uint %in_var_I
// CHECK: [[n:%[0-9]+]] = OpIMul %uint %k %uint_3
// CHECK: [[n2:%[0-9]+]] = OpIAdd %uint [[n]] [[i]]
// CHECK: OpAccessChain %_ptr_UniformConstant_type_2d_image %grid [[n2]]
  float4 sum = grid[k][i].Load(0);
// CHECK: [[n:%[0-9]+]] = OpIMul %uint {{%u?int_1}} %uint_3
// CHECK: [[n2:%[0-9]+]] = OpIAdd %uint [[n]] %m
// CHECK: OpAccessChain %_ptr_UniformConstant_type_2d_image %grid [[n2]]
  sum += grid[1][m].Load(0);
// CHECK: [[n:%[0-9]+]] = OpPhi %uint %uint_1 {{%[0-9a-z_]+}} %k {{%[0-9a-z_]+}}
// CHECK: OpAccessChain %_ptr_UniformConstant_type_2d_image %row [[n]]
  Texture2D t = row[1];
  if (i > 3) t = row[k];
  return sum + t.Load(0);
#endif
}
