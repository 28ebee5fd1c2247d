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
