// HLSL07xx: targets, extensions and what the optimiser leaves.

// ----
Texture2D<uint4> t;
SamplerState s;
float4 main() : SV_Target { return t.Sample(s, 0); }  // error: HLSL0700

// ---- -T ps_6_0 -fspv-extension=SPV_XX_nothing // error: HLSL0703
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -fspv-extension=SPV_XX_nothing // error: HLSL0703 // note: HLSL0704
float4 main() : SV_Target { return 0; }

// ---- -T vs_6_1 -fspv-extension=SPV_KHR_16bit_storage
float4 main(uint v : SV_ViewID) : SV_Position { return v; }  // error: HLSL0705

// ---- -T ps_6_0 -fspv-target-env=vulkan1.0
float4 main() : SV_Target { return WaveGetLaneIndex(); }  // error: HLSL0706

// ---- -T cs_6_0 -fspv-target-env=vulkan1.0 // note: HLSL0707
RWBuffer<uint> b;
[numthreads(1, 1, 1)] void main() { b[0] = WaveGetLaneIndex(); }  // error: HLSL0706

// ----
Texture2D a;
Texture2D b;
float4 main(nointerpolation int i : I) : SV_Target { Texture2D t = a; if (i > 1) t = b; return t.Load(0); }  // error: HLSL0742

// ----
Texture2D t;
Texture2D u;
float4 main(nointerpolation int n : N) : SV_Target
{
    Texture2D x[2] = { t, u };
    for (int j = 0; j < n; j++) x[j] = u;  // error: HLSL0743
    return x[n].Load(0);
}

// ----
Texture2D t;
SamplerState s;
float4 main(nointerpolation int2 o : O) : SV_Target { return t.Sample(s, 0, o); }  // error: HLSL0744

// ----
struct S { Texture2D t[2]; };
float4 f(S s[2], int i) { return s[i].t[i].Load(0); }
S g[2];  // error: HLSL0746
float4 main(nointerpolation int i : I) : SV_Target { return f(g, i); }

// ---- // note: HLSL0747
struct S { Texture2D t; float4 a; };
ConstantBuffer<S> c;  // error: HLSL0748
float4 main() : SV_Target { return c.t.Load(0) + c.a; }

// ----
struct S { Texture2D t; float4 a; };
ConstantBuffer<S> c;  // error: HLSL0748
float4 main() : SV_Target { return c.t.Load(0) + c.a; }

// ---- -T ps_6_0 -fspv-debug=rich // warning: HLSL0752
struct S { float m() { return 1; } };
float4 main() : SV_Target { S s; return s.m(); }

// ---- -T lib_6_3 -exports other=start // error: HLSL0754
[shader("vertex")] float4 start() : SV_Position { return 0; }

// ---- -T ps_6_0 -fspv-max-id 3 // error: HLSL0755
float4 main() : SV_Target { return 0; }

// ---- -T lib_6_3 -exports nothing // error: HLSL0756
[shader("vertex")] float4 main() : SV_Position { return 0; }

// ---- -T cs_6_10 -enable-16bit-types -fspv-target-env=vulkan1.3 // note: HLSL0747
#include <dx/linalg.h>
using namespace dx::linalg;
using M = Matrix<ComponentType::F16, 8, 8, MatrixUse::A, MatrixScope::Thread>;
ByteAddressBuffer model;
RWByteAddressBuffer result;
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {  // error: HLSL0749
    M m = M::Load<MatrixLayout::RowMajor>(model, 0, 16);
    if (i > 3) m = M::Load<MatrixLayout::ColMajor>(model, 0, 16);
    result.Store(0, Multiply<half>(m, model.Load<vector<half, 8> >(64)));
}
