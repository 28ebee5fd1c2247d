"""Small shaders for the options' tests, by name: (profile, text)."""

from __future__ import annotations

SHADERS: dict[str, tuple[str, str]] = {
    "plain": ("ps_6_0", "float4 main() : SV_Target { return 1; }"),
    "remainder": ("ps_6_0", "float4 main(nointerpolation int2 i : I) : SV_Target { return i.x % i.y; }"),
    "two": ("ps_6_0", "float4 main() : SV_Target { return 1; } float4 other() : SV_Target { return 2; }"),
    "vertex": ("vs_6_0", """
        struct V { float4 p : SV_Position; float2 b : B; float2 a : A; };
        V main(float4 p : POSITION, uint v : SV_VertexID, uint i : SV_InstanceID)
        { V o; o.p = p * v * i; o.a = p.xy; o.b = p.zw; return o; }
    """),
    "interface": ("ps_6_0", "float4 main(float4 a : A, float4 b : B) : SV_Target { return a; }"),
    "position": ("ps_6_0", "float4 main(float4 p : SV_Position) : SV_Target { return p; }"),
    "bound": ("ps_6_0", """
        struct S { float4 x; };
        float4 k;
        ConstantBuffer<S> b : register(b1);
        Texture2D t : register(t2);
        SamplerState s : register(s3);
        RWBuffer<float4> u : register(u4);
        Texture2D free;
        Texture2D unused : register(t9);
        float4 main(float2 uv : UV) : SV_Target { return k + b.x + t.Sample(s, uv) + u[0] + free.Load(0); }
    """),
    "buffer": ("ps_6_0", """
        RWStructuredBuffer<float4> r : register(u5);
        float4 main() : SV_Target { return r[0]; }
    """),
    "registers": ("ps_6_0", """
        Texture2D t : register(t2, space1);
        float4 main() : SV_Target { return t.Load(0); }
    """),
    "heaps": ("ps_6_6", """
        float4 main(nointerpolation uint i : I, float2 uv : UV) : SV_Target
        {
            Texture2D t = ResourceDescriptorHeap[i];
            SamplerState s = SamplerDescriptorHeap[i];
            RWStructuredBuffer<float4> b = ResourceDescriptorHeap[i + 1];
            return t.Sample(s, uv) + b[b.IncrementCounter()];
        }
    """),
    "array": ("ps_6_0", """
        Texture2D t[3] : register(t4);
        float4 main() : SV_Target { return t[0].Load(0) + t[2].Load(0); }
    """),
    "layout": ("ps_6_0", """
        cbuffer C { float a; float3 b; float c; float2 d; float e[2]; float f; float2x3 m; };
        float4 main() : SV_Target { return a + b.xyzz + c + d.xyxy + e[1] + f + m[1].xyzz; }
    """),
    "bytes": ("ps_6_2", """
        ByteAddressBuffer b;
        float4 main() : SV_Target { return b.Load<float2x3>(0)[1].xyzz; }
    """),
    "image": ("cs_6_0", """
        RWTexture2D<float4> t;
        [numthreads(1, 1, 1)] void main() { t[uint2(0, 0)] = 1; }
    """),
    "compute": ("cs_6_0", """
        RWStructuredBuffer<float> o;
        groupshared float g;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex)
        { if (i == 0) g = 1; GroupMemoryBarrierWithGroupSync(); o[i] = g; }
    """),
    "byte": ("cs_6_2", """RWStructuredBuffer<uint> o;
#ifdef __HLSL_ENABLE_8_BIT
[numthreads(1, 1, 1)] void main() { o[0] = (uint8_t)o[1]; }
#else
[numthreads(1, 1, 1)] void main() { o[0] = o[1]; }
#endif"""),
    "offset": ("ps_6_0", """Texture2D<float4> t;
float4 main(int4 a : A) : SV_Target {
  int2 offset = 1;
  if (a.w > 1) offset = a.xy;
#ifdef NEVER
#endif
  return t.Load(a.xyz, offset);
}"""),
    "half": ("ps_6_2", "half4 main(half4 a : A) : SV_Target { return a; }"),
    "short-circuit": ("ps_6_0", """
        RWBuffer<uint> u;
        bool f() { u[0] = 1; return true; }
        float4 main(float a : A) : SV_Target { return a > 0 && f() ? 1 : 0; }
    """),
    "floats": ("ps_6_2", "float4 main(float4 a : A, float4 b : B) : SV_Target { return max(a, b) + a * b; }"),
    "branches": ("ps_6_0", "float4 main(float a : A) : SV_Target { if (a > 0) return a; return 1 - a; }"),
    "loop": ("ps_6_0", """
        cbuffer C { float4 c[8]; };
        float4 main() : SV_Target { float4 s = 0; [loop] for (int i = 0; i < 4; ++i) s += c[i]; return s; }
    """),
    "big": ("ps_6_0", """
        struct S { float4 a[16]; float4 b; };
        cbuffer C { S s; };
        float4 main() : SV_Target { S local = s; return local.b; }
    """),
    "argument": ("ps_6_0", """
        struct S { float4 v; float4 w; };
        RWStructuredBuffer<S> b;
        [noinline] void add(inout float4 v) { v += 1; }
        float4 main() : SV_Target { S s = b[0]; add(s.v); return s.v; }
    """),
    "macro": ("ps_6_0", """
        #ifndef VALUE
        #define VALUE 3
        #endif
        float4 main() : SV_Target { return VALUE; }
    """),
    "include": ("ps_6_0", """
        #include "inside.h"
        float4 main() : SV_Target { return INSIDE; }
    """),
    "Include": ("ps_6_0", """
        #include "folder/INSIDE.H"
        float4 main() : SV_Target { return INSIDE; }
    """),
    "paste": ("ps_6_0", """
        #define A x
        #define CAT(a, b) a##b
        static const float xy = 2, Ay = 5;
        float4 main() : SV_Target { return CAT(A, y); }
    """),
    "line": ("ps_6_0", """
        #line 77 "elsewhere.hlsl"
        float4 main() : SV_Target { return nothing; }
    """),
    "errors": ("ps_6_0", "float4 main() : SV_Target { a; b; c; d; return 1; }"),
    "warned": ("ps_6_0", "float4 main(float4 v : A) : SV_Target { float2 a = v; return a.xyxy; }"),
    "ignored": ("ps_6_0", "float4 k = 1; float4 main() : SV_Target { return k; }"),
    "emulated": ("ps_6_0", """
        Texture2DMS<float4> t;
        float4 main() : SV_Target { return t.GetSamplePosition(0).xyxy; }
    """),
    "library": ("lib_6_3", """
        [shader("raygeneration")] void one() {}
        export float two(float a) { return a; }
    """),
    "imports": ("ps_6_0", "float seven(); float4 main() : SV_Target { return seven(); }"),
    "payload": ("lib_6_7", """
        struct [raypayload] P { float4 c : read(caller) : write(caller, miss); };
        [shader("miss")] void one(inout P p) { p.c = 1; }
    """),
    "raytracing": ("lib_6_3", '[shader("raygeneration")] void one() {}'),
    "user types": ("ps_6_0", """
        Texture2D<float4> t;
        float4 main(float4 c : COLOR) : SV_Target { return t.Load(0) + c; }
    """),
    "wave": ("cs_6_0", """
        RWStructuredBuffer<uint> o;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { o[i] = WaveActiveSum(i); }
    """),
    "extension": ("vs_6_1", """
        float4 main(uint v : SV_ViewID) : SV_Position { return v; }
    """),
    "invalid": ("ps_6_0", """
        [[vk::ext_capability(4)]] float4 main(float4 v : A) : SV_Target { return v; }
    """),
}  # fmt: skip

FILES = {
    "folder/inside.h": "#define INSIDE 7\n",
    "folder/seven.hlsl": "export float seven() { return 7; }\n",
}
"""Files in the folder of the shader: path → content."""
