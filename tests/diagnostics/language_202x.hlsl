// HLSL200x: declarations of HLSL 202x and 202y.

// ---- -T cs_6_0 -HV 202x
struct Never { int a; Never() = delete; Never(int x, int y) : a(x) { } };
int only_int(int x) { return x; }
int only_int(float x) = delete;
struct Wrong {
    int a;
    Wrong(int x) : b(x) { }  // error: HLSL2002
    Wrong(float x) : a(1), a(2) { }  // error: HLSL2003
    Wrong(float2 x) : Wrong(1), a(2) { }  // error: HLSL2004
};
class Hidden {
private:
    int secret;
    int inner() { return secret; }
protected:
    int kept;
public:
    int shown() { return inner() + secret; }
};
class Derived : Hidden { int own() { return kept; } };
RWBuffer<int> o;
[numthreads(1, 1, 1)] void main() {
    Never n;  // error: HLSL2000
    Never one(1);  // error: HLSL2001
    Never two(1, 2);
    only_int(1.0);  // error: HLSL2000
    Derived h;
    h.secret = 1;  // error: HLSL2005
    h.kept = 1;  // error: HLSL2005
    o[0] = h.shown() + h.own() + h.inner();  // error: HLSL2005
}

// ---- -T cs_6_0 -HV 202x
struct S { int a; int get() const { a = 1; return a; } };  // error: HLSL2012
enum E { first };
S operator+(S a, S b) { return a; }
E operator~(E a) { return first; }
float operator-(float a, float2 b) { return a; }  // error: HLSL2007
S operator=(S a, S b) { return a; }  // error: HLSL2008
S operator*(S a, S b, S c) { return a; }  // error: HLSL2009
S operator/(S a, int b = 1) { return a; }  // error: HLSL2010
S operator++(inout S a, float b) { return a; }  // error: HLSL2011
Texture2D image [[hlsl::binding("t0")]];  // error: HLSL2006
cbuffer Block {
    namespace N { }  // error: HLSL2015
}
void unsized(float a[]) { }  // error: HLSL2016
[numthreads(1, 1, 1)] void main() { }

// ---- -T cs_6_0 -HV 202x
texture old;  // error: HLSL0303
interface I { };  // error: HLSL0220
void f(uniform int x) { }
[numthreads(1, 1, 1)] void main() { }

// ---- -T cs_6_0 -HV 202y
void f(uniform int x) { }  // error: HLSL0303
cbuffer Constants { float set = 1; }  // error: HLSL2014
float global = 1;  // error: HLSL2014
struct S { int a; int get() { return a; } int read() const { return a; } };
cbuffer Block { S s; }
RWBuffer<int> o;
[numthreads(1, 1, 1)] void main() { o[0] = s.get() + s.read(); }  // error: HLSL2013

// ---- -T cs_6_10 -HV 202x
groupshared uint words[16385];
[GroupSharedLimit(65536)] [numthreads(1, 1, 1)] void main() { words[0] = 1; }  // error: HLSL2020

// ---- -T cs_6_10 -HV 202x
groupshared uint words[16384];
[numthreads(1, 1, 1)] void main() { words[0] = 1; }  // error: HLSL2020

// ---- -T cs_6_10 -HV 202x
groupshared uint words[16384];
[GroupSharedLimit(65536)] [GroupSharedLimit(65536)] [numthreads(1, 1, 1)] void main() { words[0] = 1; }  // error: HLSL2019
[GroupSharedLimit(0)] void none() { }  // error: HLSL2017
[GroupSharedLimit(6)] void odd() { }  // error: HLSL2018

// ---- -T vs_6_0 -HV 202x
union U { float f; uint u; };
struct Base { int a; };
union Derived : Base { int b; };  // error: HLSL2021
struct FromUnion : U { int b; };  // error: HLSL2021
union Objects { Texture2D t; int a; };  // error: HLSL2022
union Named { float f : NAME; int a; };  // error: HLSL2022
union Ordered { row_major float2x2 m; float a[4]; };  // error: HLSL2022
union Defaults { float f = 1.0; int a = 2; };  // error: HLSL2023
struct Ambiguous { int a; union { int a; float b; }; };  // error: HLSL0508
cbuffer Block { U inside; }  // error: HLSL2024
ConstantBuffer<U> around;  // error: HLSL2024
float4 main(U input : A) : SV_Position {  // error: HLSL2024
    U two = {1.0, 2.0};  // error: HLSL2025
    return input.f;
}

// ---- -T cs_6_0 -HV 202y
struct Empty { };
struct S { int a; Empty nothing; double b; };
RWBuffer<float> o;
[numthreads(1, 1, 1)] void main() {
    S listed = {1, {}, 4};
    S wrong = {1, 4};  // error: HLSL0331
    S many = {1, {}, 4, 5};  // error: HLSL2025
    int narrowed[2] = {1, o[0]};  // error: HLSL2026
    int2 v = {1, 2};
    int spread[2] = {v};  // error: HLSL0331
}

// ---- -T cs_6_0 -HV 202x
struct S { int &member; };  // error: HLSL1400
RWBuffer<int> o;
int &local_result() { int x = 1; return x; }  // error: HLSL2030
int &two(int &a, int &b) { if (a > b) return a; return b; }  // error: HLSL2031
int &endless(int &a) { return endless(a); }  // error: HLSL2032
int &copied(int a[2], int n) { return a[n]; }  // error: HLSL2030
static int counter, counters[4];
int &shifted(int n) { n++; return counters[n]; }  // error: HLSL2041
int &clamped(int n) { int k = max(n, 0); return counters[k]; }  // error: HLSL2041
int &count() { return counter; }
static int early = count();  // error: HLSL2033
void change(int &x) { x = 1; }
[numthreads(1, 1, 1)] void main() {
    int &unbound;  // error: HLSL2027
    int &to_number = 3;  // error: HLSL2028
    const int fixed = 1;
    int &to_const = fixed;  // error: HLSL2029
    float f = 1;
    int &to_float = f;  // error: HLSL2028
    int other = 2;
    int &to_choice = f > 0 ? other : counter;  // error: HLSL2028
    int2 pair = 1;
    int2 &to_components = pair.yx;  // error: HLSL2028
    const int &read_only = o[0];
    read_only = 2;  // error: HLSL0343
    change(f);  // error: HLSL0361
    count() = 5;
    for (int x : f) { }  // error: HLSL2042
}

// ---- -T cs_6_0 -HV 202x
RWBuffer<int> o;
static int outside = [](int x) { return x; }(1);  // error: HLSL2034
template <typename F> int run(F f) { return f(1); }  // error: HLSL2038
struct S { int a; int get() { return [this] { return 1; }(); } };  // error: HLSL2035
[numthreads(1, 1, 1)] void main() {
    int k = 2;
    auto not_captured = [](int a) { return a * k; };  // error: HLSL2037
    auto no_variable = [o] { return 1; };  // error: HLSL2036
    auto twice = [k, k] { return k; };  // error: HLSL2046
    auto twice_by_reference = [&k, k] { return k; };  // error: HLSL2046
    auto by_default = [=, k] { return k; };  // error: HLSL2047
    auto reference_by_default = [&, &k] { return k; };  // error: HLSL2047
    auto late_default = [k, &] { return k; };  // error: HLSL2048
    auto two_defaults = [=, &] { return k; };  // error: HLSL2048
    auto shadowed = [k](int k) { return k; };  // error: HLSL2049
    auto differently = [&, k](int a) { return a + k; };
    auto by_reference = [&k](int a) { k = a; return a; };
    run(by_reference);
    constexpr int late = o[0];  // error: HLSL2039
    o[1] = sizeof...(k);  // error: HLSL2043
    o[2] = abs(k...);  // error: HLSL2043
}

// ---- -T cs_6_2 -HV 202x -enable-16bit-types -Wdouble-promotion
RWStructuredBuffer<half> halves;
[numthreads(1, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    half h = halves[0];
    float wide = h;  // warning: HLSL2040
    double wider = wide * 2.0;  // warning: HLSL2040
    halves[1] = h * 2.0h + half(wider);
}

// ---- -T cs_6_0 -HV 202x
struct S { int a; S(int n) : S(n) { } };  // error: HLSL0381
constexpr int endless(int n) { return endless(n); }  // error: HLSL0381
static S s = 1;
static const int k = endless(1);
RWBuffer<int> o;
[numthreads(1, 1, 1)] void main() { o[0] = s.a + k; }

// ---- -T cs_6_0 -HV 202x
[[hlsl::strict]] struct S { [[hlsl::strict]] float a; };  // error: HLSL1080 // error: HLSL1080
[[hlsl::fast]] cbuffer Block { float k; }  // error: HLSL1080
[[hlsl::math_mode(strict)]] float g;  // error: HLSL1080
[[hlsl::strict]] typedef float T;  // error: HLSL1080
[[hlsl::strict(1)]] float argument(float x) { return x; }  // error: HLSL1083
[[hlsl::math_mode(precise)]] float unknown(float x) { return x; }  // error: HLSL2006
[[hlsl::strict]] [hlsl::math_mode(default)] float both([[hlsl::fast]] float x) { return x; }  // error: HLSL1080 // error: HLSL2044
[[hlsl::math_mode(strict), hlsl::strict]] float twice(float x) { return x; }  // warning: HLSL1085
[[strict]] float unscoped(float x) { return x; }  // warning: HLSL0521
RWBuffer<float> o;
[numthreads(1, 1, 1)] void main() {
    [[hlsl::strict]] float y = o[1];  // error: HLSL1080
    [[hlsl::strict]] if (y > 0) o[0] = argument(1);  // error: HLSL1080
    [[hlsl::fast]] while (o[2] > 1) o[0] = 2;  // error: HLSL1080
    [[hlsl::strict]] o[1] = unknown(y);
    [[hlsl::strict, hlsl::fast]] { o[2] = both(1); }  // error: HLSL2044
    o[1] = [[hlsl::fast(2)]] (y * 2);  // error: HLSL1083
    [[hlsl::strict]] return;
}

// ---- -T cs_6_0 -HV 202x
struct Guard { int a; ~Guard() { a = 0; } };
struct Holder { int first; Guard guards[2]; };
cbuffer Block { Guard in_block; int k; }  // error: HLSL2045
Holder in_globals[2];  // error: HLSL2045
ConstantBuffer<Guard> constants;  // error: HLSL2045
StructuredBuffer<Holder> buffer;  // error: HLSL2045
groupshared Guard of_group;  // error: HLSL2045
[[vk::push_constant]] Guard pushed;  // error: HLSL2045
RWBuffer<int> o;
[numthreads(1, 1, 1)] void main() { Guard local; local.a = 2; o[0] = local.a + k; }

// ---- -T cs_6_0 -HV 202x
struct S { int a; S(int x) : a(x) { } };
struct T { int b; T(S s) : b(s.a) { } };
struct U { int c; U(int x) : c(x) { } };
int of_t(T t) { return t.b; }
int either(S s) { return s.a; }
int either(U u) { return u.c; }
void changed(inout S s) { s.a = 1; }
RWBuffer<int> o;
[numthreads(1, 1, 1)] void main() {
    int i = o[1];
    o[0] = of_t(i);  // error: HLSL0361
    o[1] = either(i);  // error: HLSL0363
    changed(i);  // error: HLSL0361
    o[2] = of_t(S(i));
}

// ---- -T cs_6_0 -HV 202x
struct S { int a; S(int x) { a = x; } S(uint x) { a = x; } };
RWBuffer<int> o;
[numthreads(1, 1, 1)] void main() {
    S s(1.5);  // error: HLSL0363
    o[0] = s.a;
}
