// RUN: -T ps_6_2 -E main -HV 2021
// RUN: -T ps_6_2 -E main -HV 2021 -enable-16bit-types

#include <type_traits>
#include <vector_utils>

#define YES(...) _Static_assert(hlsl::__VA_ARGS__::value, "yes")
#define NO(...) _Static_assert(!hlsl::__VA_ARGS__::value, "no")

YES(is_same<float, float>);
YES(is_same<float3, vector<float, 3> >);
NO(is_same<float, float3>);
NO(is_same<int, uint>);
YES(is_arithmetic<float>);
YES(is_arithmetic<uint64_t>);
YES(is_arithmetic<double>);
YES(is_arithmetic<half>);
NO(is_arithmetic<bool>);
NO(is_arithmetic<float2>);
YES(is_signed<int>);
YES(is_signed<float>);
NO(is_signed<uint>);
NO(is_signed<uint64_t>);
YES(is_vector<int2>);
NO(is_vector<int>);
NO(is_vector<float2x2>);
YES(is_arithmetic_vector<float4>);
YES(is_arithmetic_vector<int>);
NO(is_arithmetic_vector<bool2>);
YES(is_same<hlsl::strip_vector_type<uint3>::type, uint>);
YES(is_same<hlsl::strip_vector_type<double>::type, double>);
#ifdef __HLSL_ENABLE_16_BIT
YES(is_arithmetic<int16_t>);
NO(is_signed<uint16_t>);
#endif

template <typename T>
typename hlsl::enable_if<hlsl::is_vector<T>::value, float>::type first(T v) { return v.x; }

template <typename T>
typename hlsl::enable_if<!hlsl::is_vector<T>::value, float>::type first(T v) { return v; }

// CHECK: OpVectorExtractDynamic %float {{%[0-9]+}} %uint_1
float4 main(float4 v : V) : SV_Target {
    return float4(hlsl::slice<1, 2>(v), first(hlsl::slice<1>(v).x), first(v));
}
