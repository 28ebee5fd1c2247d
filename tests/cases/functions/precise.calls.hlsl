// `precise` follows values through calls, methods, outputs and local arrays, at every level; the rest stays free.
// RUN: -T vs_6_0 -E main
// RUN: -T vs_6_0 -E main -O0
// RUN: -T vs_6_0 -E main -Os
// RUN: -T vs_6_0 -E main -O0 -fspv-debug=vulkan
// RUN: -T vs_6_0 -E main -fcgl --check-prefix=CODEGEN
// RUN: -T vs_6_0 -E free --check-prefix=FREE

// CHECK-COUNT-10: NoContraction
// CHECK-NOT: NoContraction
// CODEGEN-NOT: NoContraction
// FREE-NOT: NoContraction
cbuffer C { float3 k; }
float result(float a) { return a * k.x + k.y; }
void output(float a, out float b) { b = a * k.z + k.x; }
struct Method
{
    float v;
    float get(float q) { return v * q + k.y; }
    void set(float q) { v = q * k.x + k.z; }
};
struct Out { precise float4 at : SV_Position; float uv : UV; };
Out main(float3 p : POSITION)
{
    Out o;
    float first, elements[3];
    precise float r = result(p.x);
    output(p.y, first);
    precise float u = first;
    [loop] for (int i = 0; i < 3; i++)
        elements[i] = p[i] * k.x + k.y;
    precise float w = elements[(int)p.z];
    Method m;
    m.set(p.z);
    precise float x = m.get(p.x);
    o.at = float4(r, u, w, x);
    o.uv = p.x * k.z + k.y;
    return o;
}
float4 free(float3 p : POSITION) : SV_Position { float f; output(p.x, f); return result(p.y) * f; }
