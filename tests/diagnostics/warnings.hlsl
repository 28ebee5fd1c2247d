Warnings about valid programs, on by default: every rule with cases that do not warn.

// ---- -T cs_6_2
static int a, b, c, d;
static bool p, q;
cbuffer Block { int constant; };
[numthreads(1, 1, 1)] void main() {
    a = b & c | d;  // warning: HLSL1608
    a = (b & c) | d;
    a = b ^ c == d;  // warning: HLSL1606
    a = b == c & d == a;
    a = (b == c) & d;
    p = p && q || a > b;  // warning: HLSL1607
    p = a > b || p && q;  // warning: HLSL1607
    p = (p && q) || a > b;
    p = 1 && p || q;
    p = p || q && 1;
    p = p || q && 1 || a;  // warning: HLSL1607
    a = b << c + d;  // warning: HLSL1609
    a = b - c >> d;  // warning: HLSL1609
    a = (b + c) << d;
    a = b << c * d;
    if (a = b) a++;  // warning: HLSL1604
    while (a |= b) break;  // warning: HLSL1604
    for (; a = b; ) break;  // warning: HLSL1604
    do a++; while (a = 0);  // warning: HLSL1604
    if ((a = b)) a++;
    if (a += b) a++;
    if ((a == b)) a++;  // warning: HLSL1605
    if ((constant == b)) a++;
    if ((a + 1 == b)) a++;
    if ((a == b) && p) a++;
}

// ----
#define NOTHING(x)
#define BOTH(x) p && q || x
#define VALUE a
static int a;
static bool p, q;
float4 main() : SV_Target {
    if (a) NOTHING(1);
    p = BOTH(p);
    VALUE;
    if (p);  // warning: HLSL1610
    if (p)
        ;
    if (p) ; else a++;
    if (p) {}
    switch (a);  // warning: HLSL1610
    while (p); { a++; }  // warning: HLSL1610
    while (p);
    for (; p; ); { a++; }  // warning: HLSL1610
    if (p) if (q) a++; else a--;  // warning: HLSL1611
    if (p) while (q) if (a) a++; else a--;  // warning: HLSL1611
    if (p) { if (q) a++; else a--; }
    if (p) if (q) a++; else a--; else a = 1;
    return a;
}

// ----
enum Small { One, Two, Three };
enum class Large { A, B, C, D, E };
static Small small;
static Large large;
static int a;
float4 main() : SV_Target {
    switch (a == 1) { case true: break; }  // warning: HLSL1612
    switch (small) { case One: break; }  // warning: HLSL1613
    switch (small) { case One: break; case Two: break; }  // warning: HLSL1613
    switch (small) { case One: break; case Two: break; case Three: break; }
    switch (small) { case One: break; default: break; }
    switch (large) { case Large::A: break; }  // warning: HLSL1613
    switch (3) { case 1: break; }  // warning: HLSL1614
    switch (3) { case 3: break; }
    switch (3) { default: break; }
    return 0;
}

// ---- -T ps_6_0 -fspv-target-env=vulkan1.1
Texture2D<float4> t;
SamplerState s;
RWStructuredBuffer<int> counted;
static int a, b;
static bool p;
static float4 v;
static float4x4 m;
int called() { return 1; }
float4 main() : SV_Target {
    -a;  // warning: HLSL0385
    !called();  // warning: HLSL0385
    a == b;  // warning: HLSL1601
    a != b;  // warning: HLSL1601
    v < v;  // warning: HLSL1601
    called() == 1;  // warning: HLSL1601
    a, b;  // warning: HLSL0385
    a = 1, b;  // warning: HLSL0385
    a = 1, b = 2;
    a = 1, 0;
    p && a;  // warning: HLSL0385
    p && called();
    p ? a : b;  // warning: HLSL0385
    p ? called() : b;
    m[0];
    m._m00;  // warning: HLSL0385
    float2(a, b);  // warning: HLSL0385
    (float)a;  // warning: HLSL0385
    cos(1);  // warning: HLSL1602
    WaveGetLaneIndex();  // warning: HLSL1602
    WaveActiveSum(1);
    t.Sample(s, 0);  // warning: HLSL1602
    counted.IncrementCounter();
    for (a; p; b) break;  // warning: HLSL0385 // warning: HLSL0385
    float2 comma = (1, 2);  // warning: HLSL1603
    comma = (a++, 2);
    float2 cast = (float2)(1, 2);  // warning: HLSL1603
    return float4(comma, cast);
}

// ---- -T cs_6_2
int f(int x) { return x; }
void g(out int x) { x = 1; }
[numthreads(1, 1, 1)] void main() {
    int whole = 4294967296;  // warning: HLSL1600
    int fits = 4294967295;
    min16int low = 65535, lost = 65536;  // warning: HLSL1600
    min16int shifted = 1 << 20;  // warning: HLSL1600
    low = f(low) ? 70000 : 1;  // warning: HLSL1600
    bool compared = low < 70000;
    bool truth = 1.5, one = 1.0;  // warning: HLSL1520
    int list[2] = { 1.5, 2.0 };  // warning: HLSL1520
    int2 built = int2(1.5, 2);  // warning: HLSL1520
    int2 splat = 1.5;
    int cut = (int)1.5;
    float large = 1e39;  // warning: HLSL1634
    float2 larger = float2(1e38, 1e39), largest = { 1.0, 1e39 };  // warning: HLSL1634 // warning: HLSL1634
    min16float within = 65519.0, beyond = 70000, picked = low ? 70000.0 : 1.0;  // warning: HLSL1634
    uint negative = -1.0, fraction = -0.5;  // warning: HLSL1520 // warning: HLSL1634
    whole = (int)3e10;  // warning: HLSL1634
    whole = int(3e10);  // warning: HLSL1520
    whole = 1.0 / 0.0 + 0.0 / 0.0;  // warning: HLSL1634
    f(2.5);  // warning: HLSL1520
    min16int narrow = 1u;
    narrow = 1.0f;  // warning: HLSL0593
    narrow += whole;  // warning: HLSL0593
    narrow += 3u;
    double wide = 1;
    g(wide);  // warning: HLSL0593
    switch (wide) { case 1: break; default: break; }
    list[wide] = 1;
}

// ---- -T lib_6_3
[shader("vertex")] void main() {}
int g() { return 1; }
void set(out int x) { x = 1; }
void change(inout int x) { x += 1; }
void empty(out int x) {}  // warning: HLSL1615
void unused([[maybe_unused]] out int x) {}
void partly([[maybe_unused]] out int x) { if (g()) x = 1; }  // warning: HLSL1616
void returns(out int x) {
    if (g())
        return;  // warning: HLSL1615
    x = 1;
}
void passes(out int x) { set(x); }
void reads(out int x) { change(x); }  // warning: HLSL1615
void branches(out int x, out int y) {
    if (g()) x = 1;  // warning: HLSL1616
    if (g()) y = 1; else y = 2;
}
void both(out int x) { if (g()) { x = 1; return; } x = 2; }
void loops(out int x) { for (;;) { if (g()) { x = 1; break; } } }
void maybe(out int x) { while (g()) x = 1; }
void constant(out int x) { if (true) x = 1; }
void short_circuit(out int x) { if (g() && g()) x = 1; }  // warning: HLSL1616 // warning: HLSL1616
void selects(out int x) {
    switch (g()) {
    case 0: x = 1; break;
    case 1: break;  // warning: HLSL1616
    default: x = 2;
    }
}
void ternary(out int x) { g() ? (x = 1) : (x = 2); }
void vector(out float2 x) { x.x = 1; x.y = 2; }
void array(out float x[2]) {}

// ---- -T lib_6_3
void broken() { undeclared; }  // error: HLSL0301
void consequence(out int x) {}

// ---- -T lib_6_3 -Wall
[shader("vertex")] void main() {}
int g() { return 1; }
int local(int c) {
    int never, once, fine;
    if (c) once = 1;  // warning: HLSL1618
    fine = g();
    return never + once + fine;  // warning: HLSL1617
}

// ---- -T lib_6_3 -Wall -Wno-uninitialized
[shader("vertex")] void main() {}
int local() { int never; 1; return never; }  // warning: HLSL0385

// ----
void empty(out int x) {}  // warning: HLSL1615 // note: HLSL1619
float4 main() : SV_Target { int x; empty(x); return x; }

// ---- -T ps_6_0 -Wall -Wextra
float f(float named, float unnamed,  // warning: HLSL1621
        [[maybe_unused]] float meant, float) {
    float unused_local;  // warning: HLSL1620
    float unused_value = named;  // warning: HLSL1620
    static float unused_static = 1;  // warning: HLSL1620
    float assigned;
    assigned = 1;
    float2 part = 1;
    for (int i = 0; i < 3; ++i) { part.x += 1; }
    return part.y;
}
float4 main() : SV_Target { return f(1, 2, 3, 4); }

// ---- -T cs_6_2
double d;
[numthreads(1, 1, 1)] void main() {
    int whole = 1 % d;  // error: HLSL0375 // warning: HLSL0593
    whole = 1 % d;  // error: HLSL0375 // warning: HLSL0593
    whole %= d;  // error: HLSL0375 // warning: HLSL0593
}

// ---- -T ps_6_2
static const const int a = 1;  // warning: HLSL1622
static static int b = 1;  // warning: HLSL1622
static const static int c = 1;  // warning: HLSL1622
static const int d = 1;
extern extern int e;  // warning: HLSL1622
groupshared groupshared int f;
inline inline int g() { return 1; }  // warning: HLSL1622
typedef const const int h;  // warning: HLSL1622
float4 main() : SV_Target {
    const const int i = b + c;  // warning: HLSL1622
    return a + d + i;
}

// ---- -T ps_6_2
static float4 a = { 1e400, 1e-400, 1e300, 0e-400 };  // warning: HLSL1624 // warning: HLSL1624 // warning: HLSL1634
static float4 b = { 1e39f, 1e-46f, 1e-45f, 7e-46f };  // warning: HLSL1624 // warning: HLSL1624 // warning: HLSL1624
static float4 c = { 3.4028236e38f, 3.4028235e38f, 1.#INF, 0.0f };  // warning: HLSL1624
static double d = 1e400L;  // warning: HLSL1624
static half e = 1e6h;
static half f = 1e39h;  // warning: HLSL1624
float4 main() : SV_Target { return a + b + c; }

// ---- -T ps_6_2 -enable-16bit-types
static half4 a = { 1e6h, 65519.0h, 2e-8h, 6e-8h };  // warning: HLSL1624 // warning: HLSL1624
float4 main() : SV_Target { return a; }

// ---- -T ps_6_2
struct S { int; int a; };  // warning: HLSL1623
int;  // warning: HLSL1623
enum { A };
enum E { B };
static S;  // warning: HLSL1623
namespace N { float; }  // warning: HLSL1623
cbuffer C { float4; float q; struct K { int a; }; }  // warning: HLSL1623
float4 main() : SV_Target {
    int; const S;  // warning: HLSL1623 // warning: HLSL1623
    struct Z { int a; };
    enum { C1 };
    return B;
}

// ---- -T ps_6_2 -HV 2018
static int g;
struct S {
    int x;
    void m() { x = x++; x = x + 1; }  // warning: HLSL1625
};
int f(int a, int b) { return a + b; }
int changing(inout int a) { return a++; }
RWStructuredBuffer<int> rw;
float4 main(int p : P) : SV_Target {
    int i = 0, j = 0, a[4] = { 0, 0, 0, 0 };
    float4 v = 0;
    int3 w = 0;
    S s = (S)0;
    s.m();
    bool c = p > 0;
    i = i++;  // warning: HLSL1625
    i = i++ + i++;  // warning: HLSL1625
    i = ++i;
    a[i] = i++;  // warning: HLSL1625
    a[i++] = i;  // warning: HLSL1625
    a[i++] = a[j++];
    i += i++;  // warning: HLSL1625
    i <<= i++;  // warning: HLSL1625
    j = f(i++, i);  // warning: HLSL1625
    j = max(i++, i++);  // warning: HLSL1625
    i = max(i++, j);
    w = int3(i++, i, 0);  // warning: HLSL1625
    int2 w2 = { i++, i };  // warning: HLSL1625
    j = i++ && i++;
    j = c ? i++ : i++;
    j = (i++, i++);
    j = (i++, i) + i++;  // warning: HLSL1625
    j = i++ + (c ? i : 0);
    v.x = v.x++ + v.y;
    v = v++;  // warning: HLSL1625
    s.x = s.x++;
    w[i++] = w[i++];  // warning: HLSL1625
    rw[i++] = i;  // warning: HLSL1625
    g = g++;  // warning: HLSL1625
    j = changing(i) + changing(i);
    i = (j = i) + j;  // warning: HLSL1625
    i = (j += i) + j;  // warning: HLSL1625
    i = (i = 3) + 1;
    if (i++ == i) j++;  // warning: HLSL1625
    for (i = 0; i < 3; i = i++) j++;  // warning: HLSL1625
    do j++; while (i++ < i);  // warning: HLSL1625
    switch (i++ + i) { case 1: j++; }  // warning: HLSL1625
    j = (i++ || c) + i;  // warning: HLSL1625
    j = c || (i++ + i++);  // warning: HLSL1625
    j = true || (i++ + i++);
    j = false || (i++ + i++);  // warning: HLSL1625
    return i++ + i + v + w.x + w2.x + j + c;  // warning: HLSL1625
}

// ---- -T ps_6_2
inline int a();  // warning: HLSL1627
static int b();  // warning: HLSL1626
static int c();
static int d();
int e();
namespace N { static int f(); }  // warning: HLSL1626
int g() { return b() + a(); }  // note: HLSL1628 // note: HLSL1628
int h() { return b(); }
static int i() { return d() + N::f(); }  // note: HLSL1628
int j() { return e(); }
static int d() { return 1; }
float4 main() : SV_Target { return d(); }

// ---- -T ps_6_0 -Wshadow
float g; namespace N { float n; float f(float n) { return n; } }  // warning: HLSL1631
struct S { float m; static float s; float k(float m) { float s = 1; return m + s; } };  // warning: HLSL1631 // warning: HLSL1631
cbuffer C { float c; };
float4 main(float4 p : P, float g : G) : SV_Target {  // warning: HLSL1631
    float c = 1;  // warning: HLSL1631
    { float p = 1; for (int x = 0; x < 1; ++x) { float z = 3; } }  // warning: HLSL1631
    for (int x = 0; x < 1; ++x) {}
    if (g > 0) { float y = 1; } else { float y = 2; }
    float sin = 1, main = 2;
    { static int x = 4; float sin = 2; }  // warning: HLSL1631
    return N::f(1);
}

// ---- -T ps_6_0 -Wunused
static const float unread = 1;  // warning: HLSL1629
static float unwritten;  // warning: HLSL1620
static float read = 2;
static float twice(float x) { return 2 * x; }  // warning: HLSL1630
static float once(float x) { return x; }
[[maybe_unused]] static float marked(float x) { return x; }
float external(float x) { return x; }
float4 main() : SV_Target { return read + once(1); }

// ---- -T ps_6_0 -Wshadow
static float scale = 1;  // note: HLSL1632
float4 main() : SV_Target { float scale = 2; return scale; }  // warning: HLSL1631
