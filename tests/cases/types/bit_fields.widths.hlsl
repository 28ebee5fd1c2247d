// The width of a bit-field is any constant expression, and one of a named constant packs as that of a literal does.
// RUN: -T cs_6_6 -E main -HV 2021 -Wno-semantic-identifier-collision
// RUN: -T cs_6_6 -E main -HV 2021 -O0 -Wno-semantic-identifier-collision
// RUN: -T cs_6_6 -E main -HV 2018 --check-prefix=OLD

// CHECK: OpMemberName %S 0 "a"
// CHECK-NEXT: OpMemberName %S 1 "e"
// CHECK-NEXT: OpMemberName %S 2 "f"
// CHECK-NEXT: OpName
// CHECK: OpDecorate %_runtimearr_Of ArrayStride 4
// CHECK: OpDecorate %_runtimearr_S ArrayStride 12
// OLD: OpDecorate %_runtimearr_S ArrayStride 28

namespace ns { static const uint N = 5; }
enum { THREE = 3 };
enum class Kind : uint { A, B };
static const uint W = 7;
struct S
{
    static const uint M = 4;
    uint a : W;
    uint b : M;
    uint c : (ns::N);
    uint d : THREE;
    Kind k : 4;
    uint : 0;
    uint e : 2 * (3);
    bool flag : 1;
    int f : 3;
    int g : 29;
};
#if __HLSL_VERSION >= 2021
template<uint T> struct Of { uint a : T; uint b : 32 - T; uint : ns::N - 5; };
StructuredBuffer<Of<9> > t : register(t2);
#endif
StructuredBuffer<S> s : register(t0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)] void main()
{
    o[0] = s[0].d;
#if __HLSL_VERSION >= 2021
    o[1] = t[0].b;
#endif
}
