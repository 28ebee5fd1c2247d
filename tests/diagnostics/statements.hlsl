// HLSL04xx: statements and attributes.

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    break;  // error: HLSL0401
    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    continue;  // error: HLSL0402
    return color;
}

// ----
float f(float a) { case 1: return a; }  // error: HLSL0403
float4 main() : SV_Target { return 0; }

// ----
float f(float a) { default: return a; }  // error: HLSL0404
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    switch (number) { case 1: break; case 1: break; }  // error: HLSL0405
    return color;
}

// ----
float f(int a) { switch (a) { default: return 1; default: return 2; } }  // error: HLSL0406
float4 main() : SV_Target { return 0; }

// ----
float f(int a, int b) { switch (a) { case b: return 1; } return 0; }  // error: HLSL0407
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }

float4 main(float4 color : COLOR) : SV_Target {
    S s; switch (s) { case 1: break; }  // error: HLSL0408
    return color;
}

// ----
Texture2D t;
float f() { if (t) return 1; return 0; }  // error: HLSL0409
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
void f() { return 1; }  // error: HLSL0410
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
float f() { return; }  // error: HLSL0411
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float f() { [surprise] for (int i = 0; i < 2; i++) {} return 1; }  // warning: HLSL0412
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
float half_done() { } static float f = half_done();  // error: HLSL0413
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
float f() { [loop] [unroll] for (int i = 0; i < 2; i++) {} return 1; }  // error: HLSL0414
float4 main() : SV_Target { return 0; }

// ----
float f() { namespace N { } return 1; }  // error: HLSL0415
float4 main() : SV_Target { return 0; }

// ----
float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S { float a; float3 b; void set(float x) { a = x; } };
float3 three(float x, float3 y) { return x * y; }
void one(out float x) { x = 1; } void four(out float4 x) { x = 1; }
float some(bool b) { if (b) return 1; } static float f = some(true);  // error: HLSL0416
float4 main(float4 color : COLOR) : SV_Target {

    return color;
}

// ----
// A loop whose body always returns does not reach its condition.
int number;
float always(int k) { do { return 1; } while (k); }
float either(int k) { do { if (k > 2) return 1; else return 2; } while (k); }
float chosen(int k) { do { switch (k) { case 1: return 2; default: return 3; } } while (k > 2); }
float again(int k) { do { if (k > 2) continue; return 1; } while (true); }
float goes(int k) { do { if (k) continue; return 1; } while (k); }  // error: HLSL0416
float stops(int k) { do { if (k) break; return 1; } while (true); }  // error: HLSL0416
float turns(int k) { do { switch (k) { case 1: continue; default: return 3; } } while (k); }  // error: HLSL0416
float main() : SV_Target { return 0; }

// ----
float4 main(float4 p : P) : SV_Target {
    [domain("tri")] if (p.x > 0) p.y = 1;  // error: HLSL1081
    [numthreads(1, 1, 1)] for (int i = 0; i < 2; ++i) p.x += 1;  // error: HLSL1081
    [RootSignature("")] p.x = 2;  // error: HLSL1081
    [shader("pixel")] return p;  // error: HLSL1081
}

// ----
float4 main(int a : A) : SV_Target {
  float r = 0;
  switch (a) {
    case 0: r = 1;
    while (a-- > 0)
      case 1: r += 2;  // error: HLSL1850
    do { default: r += 3; } while (r < 2);  // error: HLSL1850
    for (int i = 0; i < a; i++) { { case 2: r += i; } }  // error: HLSL1850
    if (r > 4) { case 3: r = 5; }  // error: HLSL1850
    else if (r > 3) { r = 2; }
    else { case 4: r = 6; }  // error: HLSL1850
    { case 5: r += 7; }
    { case 5: r += 8; }  // error: HLSL0405
    if (r > 7) switch (a) { case 6: r += 9; break; }
  }
  return r;
}
