// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpImageFetch %v4uint {{%[0-9]+}} {{%[0-9]+}} Lod
// CHECK: OpCompositeExtract %uint
// CHECK: OpImageFetch %v4float {{%[0-9]+}} {{%[0-9]+}} Lod %uint_0
// CHECK: OpImageFetch %v4float {{%[0-9]+}} {{%[0-9]+}} None
Texture2D<uint> t;
Texture2DArray<float2> a;
Buffer<float4> b;
float4 main(int3 at : AT) : SV_Target { return t.Load(at) + a[at].xyxy + b[at.x]; }
