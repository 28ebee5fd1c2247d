// Rules whose parts single tests did not tell apart: second arguments, second entry points, words of one kind.

// ----
float f(float2 a) { return a.x; }
float g(float a, float2 b) { return a; }
float4 main() : SV_Target {
    float a = f({ 1, 2 });  // error: HLSL0203
    float b = g(1, { 1, 2 });  // error: HLSL0203
    float c = missing;  // error: HLSL0301
    return a + b + c;
}

// ----
struct S {
    void m() { int x = ; }  // error: HLSL0203
    void n() { int y = 1 + }  // error: HLSL0203
    float c;
};
}  // error: HLSL0222
float4 main(S s : S) : SV_Target { return s.c + missing; }  // error: HLSL0301

// ---- -T ps_6_0
[[vk::binding(1)]] static RWTexture2D<float> atFile;  // warning: HLSL1082
float4 main() : SV_Target {
    [[vk::binding(1)]] static RWTexture2D<float> kept;  // warning: HLSL1082
    [[vk::binding(1)]] RWTexture2D<float> local;  // error: HLSL1080
    return 0;
}

// ---- -T lib_6_3
float f(float x) { return f(x - 1); }  // error: HLSL0381
float g(float x) { return g(x - 1); }  // error: HLSL0381
[shader("pixel")] float4 one() : SV_Target { return f(1); }
[shader("pixel")] float4 two() : SV_Target { return f(2); }
[shader("pixel")] float4 three() : SV_Target { return g(2); }

// ---- -T ps_6_0
groupshared float least[1 << 28];
groupshared float more[(1 << 28) + 1];  // error: HLSL0536
groupshared float rows[1 << 14][(1 << 14) + 1];  // error: HLSL0536
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0
Texture2DMS<float4> several;
Texture2DMSArray<float4> layers;
Texture2D<float4> one;
float4 main() : SV_Target {
    several.Load(0, 0);
    layers.Load(0, 0);
    one.Load(0);  // warning: HLSL1602
    return 0;
}

// ---- -T cs_6_0
RasterizerOrderedStructuredBuffer<float> ordered;
RWStructuredBuffer<float> writable;
StructuredBuffer<float> readable;
[numthreads(1, 1, 1)] void main() {
    writable[0] = ordered.IncrementCounter() + ordered.DecrementCounter();
    writable[1] = writable.IncrementCounter() + writable.DecrementCounter();
    writable[2] = readable.IncrementCounter();  // error: HLSL0304
}

// ---- -T ps_6_0
float f(float a, float b) { return a; }
float4 main() : SV_Target {
    int i = 0;
    i = (i++, i++) + 1;  // warning: HLSL1625
    int j = (i++, i) + i;  // warning: HLSL1625
    int k = ((i++, i++), 0) + 1;
    int l = f((i++, i++), 0) + i++;  // warning: HLSL1625 // warning: HLSL1603
    return i + j + k + l;
}

// ---- -T ms_6_5
struct V { float4 p : SV_Position; };
[numthreads(1, 1, 1)] [outputtopology("triangle")]
void main(out indices indices uint3 a[1], out vertices V v[3]) { SetMeshOutputCounts(0, 0); }  // warning: HLSL1501

// ---- -T ms_6_5
struct V { float4 p : SV_Position; };
[numthreads(1, 1, 1)] [outputtopology("triangle")]
void main(out indices vertices uint3 a[1], out vertices V v[3]) { SetMeshOutputCounts(0, 0); }  // error: HLSL1490

// ---- -T lib_6_3
void empty(out int x) {}  // warning: HLSL1615
void counted(out int x, int n) { for (int i = 0; i < n; i++) x = 1; }
void endless(out int x) { for (int i = 0; ; i++) { x = 1; if (i > 2) break; } }
void repeated(out int x, int n) { while (n > 2) { x = n; n--; } }
void stepped(out int x, int n) { for (int i = 0; i < n; x = i, i++) { } }
void left(out int x, int n) { for (int i = 0; i < n; i++) { if (i > 1) continue; x = i; } }
[shader("vertex")] void main() { int x; counted(x, 1); endless(x); repeated(x, 2); stepped(x, 3); left(x, 4); }
