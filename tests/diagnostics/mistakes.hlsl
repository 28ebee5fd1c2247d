// Mistakes of beginners and of programmers from other languages, each with DXC's answer (`-spirv`) and a verdict on
// ours: `better`, `same` or `worse`, with the reason.  docs/reference/mistakes.py makes the page of them.

// ----
// A function without `return`
// DXC: line 1: warning: expression result unused [-Wunused-value] (and 1 more)
// verdict: same
float half_of(float x) { x * 0.5; }  // warning: HLSL0385 // error: HLSL0413
float4 main(float x : X) : SV_Target { return half_of(x); }

// ----
// A missing `;` after a statement
// DXC: line 3: error: expected ';' at end of declaration
// verdict: same
float4 main(float x : X) : SV_Target
{
    float y = x * 2  // error: HLSL0201
    return y;
}

// ----
// A missing `;` after a struct
// DXC: line 1: error: expected ';' after struct
// verdict: same
struct Light { float3 position; float3 color; }  // error: HLSL0201
float4 main(Light light : LIGHT) : SV_Target { return float4(light.color, 1); }

// ----
// A missing `)`
// DXC: line 3: error: expected ')'
// verdict: same
float4 main(float x : X) : SV_Target
{
    float y = saturate(x * (1 - x);  // error: HLSL0211
    return y;
}

// ----
// A missing `}`
// DXC: line 6: error: expected '}'
// verdict: same
float4 main(float x : X) : SV_Target
{
    if (x > 0) {
        x = 1;
    return x;
}  // error: HLSL0211

// ----
// A `}` too many
// DXC: line 4: error: extraneous closing brace ('}')
// verdict: same
float4 main(float x : X) : SV_Target
{
    return x; }
}  // error: HLSL0222

// ----
// A misspelt variable
// DXC: line 1: error: use of undeclared identifier 'colour'; did you mean 'color'?
// verdict: same
float4 main(float4 color : COLOR) : SV_Target { return colour; }  // error: HLSL0301

// ----
// A misspelt member
// DXC: line 2: error: no member named 'positon' in 'Light'; did you mean 'position'? (and 1 more)
// verdict: same
struct Light { float3 position; float3 intensity; };
float4 main(Light light : LIGHT) : SV_Target { return float4(light.positon * light.intesity, 1); }  // error: HLSL0304 // error: HLSL0304

// ----
// A misspelt type
// DXC: line 1: error: unknown type name 'flaot4'
// verdict: better (a hint)
flaot4 main() : SV_Target { return 0; }  // error: HLSL0220

// ----
// A misspelt intrinsic
// DXC: line 1: error: use of undeclared identifier 'normalise'
// verdict: better (a hint)
float4 main(float3 n : N) : SV_Target { return float4(normalise(n), 1); }  // error: HLSL0301

// ----
// A misspelt method
// DXC: line 2: error: no member named 'Smaple' in 'Texture2D<vector<float, 4> >'; did you mean 'Sample'?
// verdict: same
Texture2D t; SamplerState s;
float4 main(float2 uv : UV) : SV_Target { return t.Smaple(s, uv); }  // error: HLSL0304

// ----
// A misspelt system value
// DXC: line 1: error: invalid usage of semantic 'SV_Positon' in shader profile ps
// verdict: better (a hint)
float4 main(float4 p : SV_Positon) : SV_Target { return p; }  // error: HLSL0621

// ----
// A misspelt attribute
// DXC: line 3: warning: unknown attribute 'unrol' ignored [-Wunknown-attributes]
// verdict: better (a hint)
float4 main(float x : X) : SV_Target
{
    [unrol] for (int i = 0; i < 4; ++i) x *= x;  // warning: HLSL0412
    return x;
}

// ----
// A misspelt `#include`
// DXC: line 1: fatal error: 'comon.hlsli' file not found
// verdict: better (a hint)
#include "comon.hlsli"  // fatal: HLSL0101
float4 main() : SV_Target { return 0; }
// ---> common.hlsli
float f();

// ----
// A wrong preprocessor directive
// DXC: line 1: error: invalid preprocessing directive
// verdict: better (a hint)
#defin SIZE 4  // error: HLSL0130
float4 main() : SV_Target { return 0; }

// ----
// `#endif` forgotten
// DXC: line 1: error: unterminated conditional directive
// verdict: same
#ifdef FOG  // error: HLSL0133
float fog(float x) { return x; }
float4 main() : SV_Target { return 0; }

// ----
// `float4` initialised with a `float3`
// DXC: line 3: error: cannot initialize a variable of type 'vector<float, 4>' with an lvalue of type 'vector<float, 3>'
// verdict: same
float4 main(float3 c : COLOR) : SV_Target
{
    float4 color = c;  // error: HLSL0331
    return color;
}

// ----
// A constructor with too few components
// DXC: line 1: error: too few elements in vector initialization (expected 4 elements, have 3)
// verdict: same
float4 main(float2 uv : UV) : SV_Target { return float4(uv, 1); }  // error: HLSL0370

// ----
// A constructor with too many components
// DXC: line 1: error: too many elements in vector initialization (expected 4 elements, have 5)
// verdict: same
float4 main(float4 c : COLOR) : SV_Target { return float4(c, 1); }  // error: HLSL0370

// ----
// A swizzle out of range
// DXC: line 1: error: vector swizzle 'xyzz' is out of bounds
// verdict: same
float4 main(float2 uv : UV) : SV_Target { return uv.xyzz; }  // error: HLSL0354

// ----
// A swizzle of two sets
// DXC: line 1: error: vector component names cannot mix 'xyzw' and 'rgba'
// verdict: better (a hint)
float4 main(float4 c : COLOR) : SV_Target { return c.xgba; }  // error: HLSL0352

// ----
// Too few arguments
// DXC: line 1: error: use of undeclared identifier 'lerp'
// verdict: better (the signature, and how many arguments it wants)
float4 main(float x : X) : SV_Target { return lerp(x, 1); }  // error: HLSL0361

// ----
// Too many arguments
// DXC: line 2: error: no matching function for call to 'twice'
// verdict: same
float twice(float x) { return 2 * x; }
float4 main(float x : X) : SV_Target { return twice(x, 1); }  // error: HLSL0361

// ----
// A struct as an argument
// DXC: line 2: error: no matching function for call to 'length'
// verdict: better (the signature)
struct Light { float3 color; };
float4 main(Light light : LIGHT) : SV_Target { return length(light); }  // error: HLSL0361

// ----
// Matrix times vector with `*`
// DXC: line 2: error: cannot convert from 'float4' to 'float4x3'
// verdict: better (a hint)
float4x3 bones;
float4 main(float4 p : P) : SV_Target { return bones * p; }  // error: HLSL0330

// ----
// `mul` of shapes that do not fit
// DXC: line 2: warning: implicit truncation of vector type [-Wconversion]
// verdict: better (it is a matrix that is truncated)
float3x3 rotation;
float4 main(float4 p : P) : SV_Target { return mul(rotation, p.xy).xxxx; }  // warning: HLSL0383

// ----
// `=` instead of `==`
// DXC: line 3: warning: using the result of an assignment as a condition without parentheses [-Wparentheses]
// verdict: better (a hint)
float4 main(int i : I) : SV_Target
{
    if (i = 2) return 1;  // warning: HLSL1604
    return 0;
}

// ----
// `;` behind an `if`
// DXC: line 3: warning: if statement has empty body [-Wempty-body]
// verdict: same
float4 main(float x : X) : SV_Target
{
    if (x > 0);  // warning: HLSL1610
        x = 1;
    return x;
}

// ----
// A `case` that falls through
// DXC: nothing
// verdict: same (neither reports it)
float4 main(int i : I) : SV_Target
{
    float x = 0;
    switch (i) {
    case 0: x = 1;
    case 1: x = 2; break;
    }
    return x;
}

// ----
// Integer division
// DXC: nothing
// verdict: same (neither reports it)
float4 main() : SV_Target
{
    float third = 1 / 3;
    return third;
}

// ----
// A variable used before it has a value
// DXC: nothing
// verdict: same (neither reports it)
float4 main(float x : X) : SV_Target
{
    float sum;
    sum += x;
    return sum;
}

// ----
// An `out` parameter that is not written
// DXC: nothing
// verdict: better (DXC reports nothing)
void split(float4 v, out float3 a, out float b) { a = v.xyz; }  // warning: HLSL1615
float4 main(float4 v : V) : SV_Target { float3 a; float b; split(v, a, b); return float4(a, b); }

// ---- -T vs_6_0
// An output member that is not written
// DXC: nothing
// verdict: same (neither reports it)
struct V { float4 p : SV_Position; float2 uv : UV; };
V main(float4 p : P) { V v; v.p = p; return v; }

// ----
// A return value of a `void` function
// DXC: line 1: error: void function 'f' should not return a value [-Wreturn-type]
// verdict: same
void f(float x) { return x; }  // error: HLSL0410
float4 main() : SV_Target { f(1); return 0; }

// ----
// `return` without a value
// DXC: line 1: error: non-void function 'f' should return a value [-Wreturn-type]
// verdict: same
float f(float x) { return; }  // error: HLSL0411
float4 main() : SV_Target { return f(1); }

// ---- -T cs_6_0
// No `numthreads`
// DXC: line 2: error: thread group size [numthreads(x,y,z)] is missing from the entry-point function
// verdict: same
RWBuffer<float> b;
void main(uint3 id : SV_DispatchThreadID) { b[id.x] = 1; }  // error: HLSL0661

// ---- -T cs_6_0
// Too many threads
// DXC: nothing
// verdict: better (DXC compiles it, Vulkan refuses it)
RWBuffer<float> b;
[numthreads(32, 32, 32)]  // warning: HLSL1444
void main(uint3 id : SV_DispatchThreadID) { b[id.x] = 1; }  // error: HLSL0661

// ----
// No semantic on an input
// DXC: line 1: error: semantic string missing for shader input variable 'color'
// verdict: same
float4 main(float4 color) : SV_Target { return color; }  // error: HLSL0619

// ----
// No semantic on the output
// DXC: line 1: error: semantic string missing for shader output variable 'main'
// verdict: same
float4 main(float4 color : COLOR) { return color; }  // error: HLSL0619

// ----
// A system value of another stage
// DXC: line 1: error: invalid usage of semantic 'SV_DispatchThreadID' in shader profile ps
// verdict: better (a hint)
float4 main(uint id : SV_DispatchThreadID) : SV_Target { return id; }  // error: HLSL0621

// ---- -T vs_6_0
// `ddx` in a vertex shader
// DXC: warning: SPIR-V legalization: Removing DPdx instruction because of incompatible execution model.
// verdict: better (an error at its line; DXC removes the call)
float4 main(float4 p : P) : SV_Position { return ddx(p); }  // error: HLSL1641

// ---- -T cs_6_0
// `discard` in a compute shader
// DXC: line 3: error: discard statement may only be used in pixel shaders
// verdict: same
RWBuffer<float4> b;
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { if (id.x == 0) discard; b[id.x] = 1; }  // error: HLSL0609

// ----
// `groupshared` in a pixel shader
// DXC: fatal error: generated SPIR-V is invalid: OpEntryPoint Entry Point <id> '1[%main]'s callgraph contains function <id> 1[%main], which cannot be used with the current execution model:
// verdict: better (an error at its line; DXC asks for a bug report)
groupshared float values[64];  // error: HLSL1642
float4 main(uint i : I) : SV_Target { values[i] = 1; return values[0]; }

// ----
// `Sample` without a sampler
// DXC: line 2: error: no matching member function for call to 'Sample'
// verdict: better (the signatures)
Texture2D t;
float4 main(float2 uv : UV) : SV_Target { return t.Sample(uv); }  // error: HLSL0362

// ----
// `tex2D` with a `Texture2D`
// DXC: line 2: error: deprecated tex2D intrinsic function will not be supported
// verdict: same
Texture2D t; SamplerState s;
float4 main(float2 uv : UV) : SV_Target { return tex2D(s, uv); }  // error: HLSL0372

// ----
// A constant buffer at a texture's register
// DXC: line 1: error: invalid register specification, expected 'b' binding
// verdict: same
cbuffer Camera : register(t0) { float4x4 view; };  // error: HLSL1057
float4 main(float4 p : P) : SV_Target { return mul(view, p); }

// ----
// A space without its word
// DXC: line 1: error: expected identifier
// verdict: better (a hint)
Texture2D t : register(t0, 1);  // error: HLSL0205
float4 main(int3 p : P) : SV_Target { return t.Load(p); }

// ----
// Writing to a constant
// DXC: line 2: error: read-only variable is not assignable
// verdict: better (it names the variable and shows its declaration)
cbuffer Camera { float4 eye; };
float4 main() : SV_Target { eye.x = 1; return eye; }  // error: HLSL0342

// ---- -T cs_6_0
// Writing to a `Texture2D`
// DXC: line 3: error: cannot assign to return value because function 'operator[]<const vector<float, 4> &>' returns a const value
// verdict: better (a hint)
Texture2D<float4> t;
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { t[id.xy] = 1; }  // error: HLSL0341

// ----
// Writing to a `const`
// DXC: line 2: error: cannot assign to variable 'PI' with const-qualified type 'const float'
// verdict: same
static const float PI = 3.14;
float4 main() : SV_Target { PI = 3; return PI; }  // error: HLSL0342

// ----
// Recursion
// DXC: line 1: error: recursive functions not allowed
// verdict: better (it names the functions)
float factorial(float n) { return n <= 1 ? 1 : n * factorial(n - 1); }  // error: HLSL0381
float4 main(float x : X) : SV_Target { return factorial(x); }

// ----
// A pointer
// DXC: line 1: error: pointers are unsupported in HLSL (and 2 more)
// verdict: better (a hint)
void scale(float4* color) { *color *= 2; }  // error: HLSL1401 // error: HLSL0345
float4 main(float4 c : COLOR) : SV_Target { scale(&c); return c; }  // error: HLSL0345

// ----
// `->`
// DXC: line 2: error: operator is not supported
// verdict: better (a hint)
struct Light { float3 color; };
float4 main(Light light : LIGHT) : SV_Target { return float4(light->color, 1); }  // error: HLSL0346

// ----
// A reference of C++
// DXC: line 1: error: pointers are unsupported in HLSL
// verdict: better (a hint)
void scale(float4& color) { color *= 2; }  // error: HLSL1400
float4 main(float4 c : COLOR) : SV_Target { scale(c); return c; }

// ----
// `std::` of C++
// DXC: line 1: error: no member named 'max' in namespace 'std'
// verdict: better (a hint)
float4 main(float x : X) : SV_Target { return std::max(x, 0.0f); }  // error: HLSL0305

// ----
// `new` of C++
// DXC: line 1: error: pointers are unsupported in HLSL (and 1 more)
// verdict: better (a hint)
float4 main() : SV_Target { float* a = new float[4]; return a[0]; }  // error: HLSL0223

// ----
// A string
// DXC: line 2: error: member reference base type 'string' is not a structure or union
// verdict: same
string name = "albedo";
float4 main() : SV_Target { return name.Length; }  // error: HLSL0359

// ----
// A string literal as a value
// DXC: line 1: error: cannot initialize a variable of type 'float' with an lvalue of type 'literal string'
// verdict: same
float4 main() : SV_Target { float x = "1.0"; return x; }  // error: HLSL0331

// ----
// `vec3` of GLSL
// DXC: line 3: error: unknown type name 'vec3'
// verdict: better (a hint)
float4 main(float4 c : COLOR) : SV_Target
{
    vec3 v = vec3(1.0);  // error: HLSL0220 // error: HLSL0301
    return c;
}

// ----
// `mix` and `fract` of GLSL
// DXC: line 1: error: use of undeclared identifier 'fract'
// verdict: better (a hint)
float4 main(float x : X) : SV_Target { return mix(0.0, 1.0, fract(x)); }  // error: HLSL0301 // error: HLSL0301

// ---- -T vs_6_0
// `gl_Position` of GLSL
// DXC: line 1: error: use of undeclared identifier 'gl_Position'
// verdict: better (a hint)
void main(float4 p : P) { gl_Position = p; }  // error: HLSL0301

// ----
// `layout` and `uniform` of GLSL
// DXC: line 1: error: HLSL requires a type specifier for all declarations (and 3 more)
// verdict: same
layout(binding = 0) uniform sampler2D tex;  // error: HLSL0221
float4 main(float2 uv : UV) : SV_Target { return 0; }

// ----
// `in` and `out` variables of GLSL
// DXC: line 1: error: unknown type name 'vec2' (and 1 more)
// verdict: better (a hint)
in vec2 uv;  // error: HLSL0220 // error: HLSL1494
float4 main() : SV_Target { return 0; }

// ----
// `texture()` of GLSL
// DXC: line 1: error: unknown type name 'sampler2D'; did you mean 'sampler'? (and 1 more)
// verdict: better (a hint)
sampler2D tex;
float4 main(float2 uv : UV) : SV_Target { return texture(tex, uv); }  // error: HLSL0303

// ----
// `__shared__` of CUDA
// DXC: line 1: error: unknown type name '__shared__' (and 1 more)
// verdict: better (a hint)
__shared__ float values[64];  // error: HLSL0220 // error: HLSL0204
float4 main() : SV_Target { return 0; }

// ----
// Metal's attributes
// DXC: line 1: warning: unknown attribute 'position' ignored [-Wunknown-attributes] (and 1 more)
// verdict: same
float4 main(float4 p [[position]]) : SV_Target { return p; }  // warning: HLSL0521 // error: HLSL0619

// ----
// An array with its size in front
// DXC: line 1: error: brackets are not allowed here; to declare an array, place the brackets after the name
// verdict: same
float4 main() : SV_Target { float[4] a = { 1, 2, 3, 4 }; return a[0]; }  // error: HLSL1640

// ----
// An array index out of range
// DXC: line 1: error: array index 4 is out of bounds
// verdict: same
float4 main() : SV_Target { float a[4] = { 1, 2, 3, 4 }; return a[4]; }  // error: HLSL0387

// ----
// Too few initialisers
// DXC: line 1: error: too few elements in vector initialization (expected 4 elements, have 3)
// verdict: same
float4 main() : SV_Target { float a[4] = { 1, 2, 3 }; return a[0]; }  // error: HLSL0370

// ----
// An array size that is no constant
// DXC: line 1: error: variable length arrays are not supported in HLSL
// verdict: same
float4 main(int n : N) : SV_Target { float a[n]; a[0] = 1; return a[0]; }  // error: HLSL0502

// ----
// A variable declared twice
// DXC: line 1: error: redefinition of 'y'
// verdict: same
float4 main(float x : X) : SV_Target { float y = x; float y = 2; return y; }  // error: HLSL0306

// ----
// A function used before its declaration
// DXC: line 1: error: use of undeclared identifier 'twice'
// verdict: same
float4 main(float x : X) : SV_Target { return twice(x); }  // error: HLSL0301
float twice(float x) { return 2 * x; }

// ----
// Two vectors compared in an `if`
// DXC: line 3: error: if statement conditional expressions must evaluate to a scalar
// verdict: better (a hint)
float4 main(float3 a : A, float3 b : B) : SV_Target
{
    if (a == b) return 1;  // error: HLSL0409
    return 0;
}

// ----
// `%` written for a bitwise operator on floats
// DXC: line 1: error: int or unsigned int type required
// verdict: same
float4 main(float x : X) : SV_Target { return x & 1; }  // error: HLSL0337

// ----
// A shift of a float
// DXC: line 1: error: int or unsigned int type required
// verdict: same
float4 main(float x : X) : SV_Target { return x << 2; }  // error: HLSL0337

// ----
// An assignment that loses components
// DXC: line 3: warning: implicit truncation of vector type [-Wconversion]
// verdict: same
float4 main(float4 c : COLOR) : SV_Target
{
    float3 rgb = c;  // warning: HLSL0382
    return float4(rgb, 1);
}

// ----
// A texture in a constant buffer's place
// DXC: line 1: error: 'float4' cannot be used as a type parameter where a struct is required
// verdict: same
ConstantBuffer<float4> c;  // error: HLSL0315
float4 main() : SV_Target { return c; }

// ----
// A structure with a semantic twice
// DXC: error: input semantic 'TEXCOORD0' used more than once
// verdict: better (at its line)
struct V { float2 uv : TEXCOORD0; float2 detail : TEXCOORD0; };  // error: HLSL0623
float4 main(V v) : SV_Target { return float4(v.uv, v.detail); }

// ----
// A constructor in a struct
// DXC: line 1: error: HLSL requires a type specifier for all declarations (and 1 more)
// verdict: better (a hint)
struct Light { float intensity; Light() { intensity = 1; } };  // error: HLSL0221
float4 main() : SV_Target { return 0; }

// ----
// A global without `static`
// DXC: line 2: error: cannot assign to variable 'exposure' with const-qualified type 'const float'
// verdict: same
float exposure = 2;
float4 main() : SV_Target { exposure = 3; return exposure; }  // error: HLSL0342

// ----
// `else` without `if`
// DXC: line 4: error: expected expression
// verdict: same
float4 main(float x : X) : SV_Target
{
    if (x > 0) x = 1; x += 2;
    else x = 2;  // error: HLSL0203
    return x;
}

// ----
// `break` outside of a loop
// DXC: line 1: error: 'break' statement not in loop or switch statement
// verdict: same
float4 main(float x : X) : SV_Target { if (x > 0) break; return x; }  // error: HLSL0401

// ----  // error: HLSL0512
// An unknown profile's entry
// DXC: error: missing entry point definition
// verdict: better (a hint)
float4 PSMain() : SV_Target { return 0; }
