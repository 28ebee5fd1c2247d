// RUN: -T ps_6_0 -E main
// RUN: -T ps_6_0 -E targets --check-prefix=TARGETS
// RUN: not -T ps_6_0 -E overlap --check-prefix=OVERLAP

// Each element of an array takes an index of the semantic that a structure hands on.
struct Values {
    float4 first[2];
    float4 second;
};

// CHECK-DAG: OpDecorate %in_var_TEXCOORD1 Location 0
// CHECK-DAG: OpDecorate %in_var_TEXCOORD3 Location 2
// CHECK-DAG: OpDecorate %in_var_TEXCOORD4 Location 3
float4 main(Values v : TEXCOORD1, float4 other : TEXCOORD4) : SV_Target {
    return v.first[0] + v.first[1] + v.second + other;
}

// TARGETS-DAG: OpDecorate %out_var_SV_Target Location 0
// TARGETS-DAG: OpDecorate %out_var_SV_Target2 Location 2
Values targets() : SV_Target { return (Values)1; }

struct Overlapping {
    float4 first[2] : SV_Target0;
    float4 second : SV_Target1;
};
// OVERLAP: error: Multiple stage variables have a duplicated pair of location and index at 1 / 0
Overlapping overlap() { return (Overlapping)1; }
