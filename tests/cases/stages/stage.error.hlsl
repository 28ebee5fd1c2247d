// RUN: not -T gs_6_0 -E several stage.error.hlsl --check-prefix=SEVERAL
// RUN: not -T gs_6_0 -E uncounted stage.error.hlsl --check-prefix=COUNT
// RUN: not -T hs_6_0 -E pow2 stage.error.hlsl --check-prefix=POW2
// RUN: not -T hs_6_0 -E nothing stage.error.hlsl --check-prefix=NOTHING
// RUN: not -T hs_6_0 -E unknown stage.error.hlsl --check-prefix=UNKNOWN

struct V { float4 p : SV_Position; };
struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };

// SEVERAL: only one input primitive type can be specified in the geometry shader
[maxvertexcount(1)] void several(point V a[1], line V b[2], inout PointStream<V> s) { s.Append(a[0]); }

// COUNT: geometry entry point must have a valid maxvertexcount attribute
void uncounted(point V a[1], inout PointStream<V> s) { s.Append(a[0]); }

C patch(InputPatch<V, 3> p) { return (C)0; }
C wants(InputPatch<V, 3> p, float4 other : OTHER) { return (C)0; }

// POW2: pow2 partitioning scheme is not supported since there is no equivalent in Vulkan
[domain("tri")] [partitioning("pow2")] [outputtopology("line")] [outputcontrolpoints(3)] [patchconstantfunc("patch")]
V pow2(InputPatch<V, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }

// NOTHING: patch constant function 'none' must be defined
[domain("tri")] [partitioning("integer")] [outputtopology("line")] [outputcontrolpoints(3)] [patchconstantfunc("none")]
V nothing(InputPatch<V, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }

// UNKNOWN: patch constant function parameter 'other' unknown
[domain("tri")] [partitioning("integer")] [outputtopology("line")] [outputcontrolpoints(3)] [patchconstantfunc("wants")]
V unknown(InputPatch<V, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
