// Recovery: an error hides none of its neighbours, and names that it may have declared are not reported again.

// ----
struct Light { float4 position; float3 intensity; };
float4 main(Light light : L) : SV_Target {
    float a = 1 +;  // error: HLSL0203
    float4 b = float4(light.intesity, light.positon.x);  // error: HLSL0304 // error: HLSL0304
    undeclared = 1;  // error: HLSL0301
    return a;
}

// ----
struct S {
    Unknown a;  // error: HLSL0220
    Unknown b;  // error: HLSL0303
    float c;
};
Unknwon f(Unknwon x, float y) { return x + y + missing; }  // error: HLSL0220 // error: HLSL0303 // error: HLSL0301
float4 main(S s : S) : SV_Target { s.a = f(s.b, s.c); return s.a.x + s.d; }  // error: HLSL0304

// ----
float4 main() : SV_Target {
    Unknown x;  // error: HLSL0220
    x.y = 1;
    Unknown z = x;  // error: HLSL0303
    z[1] = missing;  // error: HLSL0301
    return f(x, z);  // error: HLSL0301
}

// ----
struct A { float a; }  // error: HLSL0201
struct B { float b; };
float4 main() : SV_Target { A x; B y; x.a = 1; y.b = x.b; return x.a; }  // error: HLSL0304

// ----
float4 main() : SV_Target {
    float a = 1  // error: HLSL0201
    float b = 2;
    if (a > missing) { b = a; }  // error: HLSL0301
    return a + b;
}

// ----
typedef float& R;  // error: HLSL1400
void f(float *p) { }  // error: HLSL1401
float4 main() : SV_Target { return 0; }

// ----
float f(float2 x) { return x.y; }
float4 main() : SV_Target {
    float a = f({ 1, 2 });  // error: HLSL0203
    return b;  // error: HLSL0301
}

// ----
float4 f() { return { 1, 2, 3, 4 }; }  // error: HLSL1402
float4 main() : SV_Target { float4 a; a = { 1, 2, 3, 4 }; return f(); }  // error: HLSL0203

// ----
static const bool same = std::is_same<float, __decltype(1.0f + 1)>::value;
static_assert(same, "");
static_assert(std::is_same<int, __decltype(1.0f + missing)>::value, "");  // error: HLSL0301
static_assert(std::is_same<int>::value, "");  // error: HLSL0312
float4 main() : SV_Target { return 0; }

// ----
float f(float x) {
    if (x > 1) {
        return x;
}
float4 main(float x : X) : SV_Target { return f(x) + missing; }  // error: HLSL1403 // error: HLSL0301
float g() { return missing; }  // error: HLSL1403 // error: HLSL0301 // error: HLSL0211
