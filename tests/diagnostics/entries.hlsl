// HLSL14xx: entry points: their attributes, parameters and results, by stage.

// ----
[shader("compute")] [numthreads(1, 1, 1)]  // error: HLSL1410
void main() { }

// ---- -T lib_6_8
[shader("pixel")] [wavesize(16)] [nodeid("x")]  // error: HLSL1411 // error: HLSL1411
float4 main() : SV_Target { return 0; }
[numthreads(1, 1, 1)] void f() { }  // warning: HLSL1412
[shader("vertex")]
float4 vertex() : POSITION { return 0; }  // warning: HLSL1413
[shader("hull")]
void hull() { }  // error: HLSL0661 // error: HLSL0661 // error: HLSL0661

// ---- -T cs_6_6
[[vk::binding(SLOT, SET)]]  // error: HLSL0301
Texture2D t;
[domain(DOMAIN)]  // error: HLSL0301
[numthreads(WIDTH, 1, 1)]  // error: HLSL0301
[wavesize(LANES)]  // error: HLSL0301
void f() { }
[numthreads(1, 1, 1)]
void main() { }

// ---- -T ps_6_0
float4 main() : SV_Target8 { return 0; }  // error: HLSL1414

// ---- -T lib_6_9
struct S { dx::HitObject hit; };
[shader("pixel")]
float4 main(S s : S) : SV_Target { return 0; }  // error: HLSL1415

// ---- -T lib_6_9
struct S { dx::HitObject hit; };
struct V { vector<float, 5> v; };
RaytracingAccelerationStructure scene;
[shader("raygeneration")]
void generate() {
    S s;
    V v;
    TraceRay(scene, 0, 0, 0, 1, 0, (RayDesc)0, s);  // error: HLSL1415
    TraceRay(scene, 0, 0, 0, 1, 0, (RayDesc)0, v);  // error: HLSL1416
    CallShader(0, s);  // error: HLSL1415
}
[shader("intersection")]
void intersect() { S s; ReportHit(1, 0, s); }  // error: HLSL1415
groupshared S shared_s;  // error: HLSL1415
[shader("amplification")] [numthreads(1, 1, 1)]
void amplify() { DispatchMesh(1, 1, 1, shared_s); }  // error: HLSL1415

// ---- -T lib_6_8
struct P { float a; };
struct Q { Texture2D t; };
[shader("miss")] void m0() { }  // error: HLSL0674
[shader("miss")] void m1(P p) { }  // error: HLSL0675
[shader("anyhit")] void a(inout P p, inout P q) { }  // error: HLSL0675
[shader("closesthit")] void c(inout Q p, float x) { }  // error: HLSL1420 // error: HLSL1420
[shader("callable")] int d(inout P p) { return 1; }  // error: HLSL0673

// ---- -T lib_6_8
struct Record { float a; };
struct Grid { uint3 grid : SV_DispatchGrid; };
struct Grids { uint3 a : SV_DispatchGrid; uint3 b : SV_DispatchGrid; };  // error: HLSL1425
struct Odd { float a : SV_DispatchGrid; };  // error: HLSL1426
struct [NodeTrackRWInputSharing] Tracked { float a; };
[shader("node")] [NodeLaunch("thread")] [numthreads(2, 1, 1)]  // error: HLSL1428
[NodeDispatchGrid(1, 1, 1)]  // error: HLSL1421
void n1() { }
[shader("node")] [numthreads(1, 1, 1)] [NodeDispatchGrid(1, 1, 1)] [NodeMaxDispatchGrid(1, 1, 1)]  // error: HLSL1422
void n2() { }  // error: HLSL1424
[shader("node")] [numthreads(1, 1, 1)]
void n3() { }  // error: HLSL1423
[shader("node")] [numthreads(1, 1, 1)] [NodeMaxDispatchGrid(1, 1, 1)]
void n4(DispatchNodeInputRecord<Grids> input) { }
[shader("node")] [numthreads(1, 1, 1)] [NodeMaxDispatchGrid(1, 1, 1)]
void n5(DispatchNodeInputRecord<Odd> input) { }
[shader("node")] [NodeLaunch("coalescing")]
void n6() { }  // error: HLSL1427
[shader("node")] [numthreads(1, 1, 1)] [NodeDispatchGrid(1, 1, 1)]
void n7(GroupNodeInputRecords<Record> a, DispatchNodeInputRecord<Record> b) { }  // error: HLSL1429 // error: HLSL1430
[shader("node")] [numthreads(1, 1, 1)] [NodeDispatchGrid(1, 1, 1)]
void n8([AllowSparseNodes] uint x : SV_GroupIndex, [MaxRecords(2)] DispatchNodeInputRecord<Record> r,  // error: HLSL1431 // error: HLSL1432
        [NodeArraySize(3)] NodeOutput<Record> o,  // error: HLSL1431
        [UnboundedSparseNodes] [NodeArraySize(3)] NodeOutputArray<Record> p,  // error: HLSL1436
        [MaxRecordsSharedWith(q)] NodeOutput<Record> q,  // error: HLSL1435
        [MaxRecordsSharedWith(nothing)] NodeOutput<Record> s,  // error: HLSL1434
        [MaxRecords(1)] [MaxRecordsSharedWith(s)] NodeOutput<Record> t,  // error: HLSL1433
        NodeOutput<Record> u[2]) { }  // error: HLSL1437
[shader("node")] [numthreads(1, 1, 1)] [NodeDispatchGrid(1, 1, 1)]
void n9(DispatchNodeInputRecord<Tracked> r) { }  // error: HLSL1438
[shader("node")] [NodeLaunch("thread")]
void n10(uint x : SV_GroupIndex) { }  // error: HLSL1439
[shader("node")] [numthreads(1, 1, 1)] [NodeDispatchGrid(1, 1, 1)]
void n11(RWDispatchNodeInputRecord<Record> r) { r.FinishedCrossGroupSharing(); }  // error: HLSL1440
[shader("node")] [numthreads(1, 1, 1)]
[NodeDispatchGrid(0, 1, 1)]  // error: HLSL1441
[NodeMaxRecursionDepth(33)]  // error: HLSL1443
void n12() { }
[shader("node")] [numthreads(1, 1, 1)]
[NodeDispatchGrid(1024, 1024, 1024)]  // error: HLSL1442
void n13() { }

// ---- -T lib_6_8
[shader("compute")] [numthreads(64, 64, 1)]  // warning: HLSL1444
void a() { }  // error: HLSL0661
[shader("compute")] [numthreads(1, 1, 1)] [wavesize(3)]  // error: HLSL1445
void b() { }
[shader("compute")] [numthreads(1, 1, 1)] [wavesize(32, 16)]  // error: HLSL1446
void c() { }
[shader("compute")] [numthreads(1, 1, 1)] [wavesize(8, 32, 64)]  // error: HLSL1447
void d() { }
[shader("compute")] [numthreads(1, 1, 1)] [numthreads(1, 1, 1)]  // warning: HLSL1454
void e() { }

// ---- -T lib_6_6
[shader("compute")] [numthreads(1, 1, 1)] [wavesize(8, 16)]  // error: HLSL1448
void a() { }

// ---- -T cs_6_5
[numthreads(1, 1, 1)] [wavesize(8)]  // error: HLSL1449
void main() { }

// ---- -T cs_6_0 -HV 2018
uint n;
static const float half_ = 0.5;
float4 plane, planes[2];
[clipplanes(float4(0, 0, 0, 1), planes[n], n)]  // error: HLSL1458
void f() { }
[clipplanes(planes[n])]  // error: HLSL1460
void g() { }
[clipplanes(n)]  // error: HLSL1459
void h() { }
[maxvertexcount(half_)] void a() { }  // error: HLSL1450
[maxvertexcount(1.5)] void b() { }  // warning: HLSL1451
[domain(1)] void c() { }  // error: HLSL1452
[domain("cube")] void d() { }  // error: HLSL1453
[outputcontrolpoints(33)] void e() { }  // error: HLSL1461
[numthreads(1, 1, 1)]
void main() {
    [loop] if (n) return;  // warning: HLSL1455
    [unroll] return;  // warning: HLSL1455
    [domain("tri")] int x = 1;  // error: HLSL1456
    [noinline] int y = 1;  // warning: HLSL1457
    for (int i = 0; i < 4; i++) { }
    for (int i = 0; i < 4; i++) { int i = 2; }  // warning: HLSL1404
}

// ---- -T lib_6_9
struct S { vector<float, 5> v; };
[shader("pixel")]
float4 main(S s : S) : SV_Target { return 0; }  // error: HLSL1416

// ---- -T lib_6_7
RWByteAddressBuffer bytes;
Texture2D t; SamplerComparisonState s;
float f() { return t.CalculateLevelOfDetail(s, 0); }  // error: HLSL1471
[shader("compute")] [numthreads(1, 1, 1)]
void a() { Barrier(UAV_MEMORY, 0); bytes.Store(0, f()); }  // error: HLSL1470
[shader("raygeneration")]
void b() { dx::HitObject h; }  // error: HLSL1472
[shader("pixel")]
float4 c() : SV_Target { return RAY_FLAG_FORCE_OMM_2_STATE; }  // warning: HLSL1473

// ---- -T cs_6_5
Texture2D t; SamplerComparisonState s; RWByteAddressBuffer bytes;
[numthreads(4, 1, 1)] void main() { bytes.Store(0, t.CalculateLevelOfDetail(s, 0)); }  // error: HLSL1471

// ---- -T lib_6_8
Texture2D t; SamplerComparisonState s; RWByteAddressBuffer bytes;
float f() { return t.CalculateLevelOfDetail(s, 0); }  // error: HLSL1475 // error: HLSL1476
[shader("vertex")] float4 a() : SV_Position { return f(); }
[shader("compute")] [numthreads(3, 1, 1)] void b() { bytes.Store(0, f()); }

// ---- -T lib_6_9
RaytracingAccelerationStructure scene;
[shader("vertex")]
float4 a() : SV_Position {
    dx::HitObject h = dx::HitObject::MakeNop();  // error: HLSL1477
    dx::MaybeReorderThread(0, 1);  // error: HLSL1478
    RayQuery<0> q;
    RayDesc ray = (RayDesc)0;
    q.TraceRayInline(scene, RAY_FLAG_FORCE_OMM_2_STATE, 0xff, ray);  // error: HLSL1479
    return 0;
}

// ---- -T lib_6_8
RWByteAddressBuffer bytes;
[shader("pixel")] float4 a() : SV_Target {
    Barrier(bytes, GROUP_SYNC);  // error: HLSL1481
    Barrier(GROUP_SHARED_MEMORY, 0);  // error: HLSL1482
    Barrier(NODE_INPUT_MEMORY, 0);  // error: HLSL1483
    return 0;
}
[shader("compute")] [numthreads(1, 1, 1)] void b() {
    Barrier(GROUP_SHARED_MEMORY, DEVICE_SCOPE);  // error: HLSL1484
    Barrier(0, GROUP_SCOPE);  // error: HLSL1484
}

// ---- -T cs_6_8
[numthreads(1, 1, 1)] void main() {
    Barrier(16, 0);  // error: HLSL1485
    Barrier(0, 8);  // error: HLSL1486, of shader model 6.9
    Barrier(0, 16);  // error: HLSL1486
}

// ---- -T lib_6_5
export float f(float x) { return x > 0 ? f(x - 1) : 0; }  // error: HLSL0381 // note: HLSL1488
[shader("pixel")] float4 main() : SV_Target { return 0; }

// ---- -T cs_6_8
RaytracingAccelerationStructure scene;
[numthreads(1, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE, 1> q;  // error: HLSL1480
    RayDesc ray = (RayDesc)0;
    q.TraceRayInline(scene, 0, 0xff, ray);
}

// ---- -T cs_6_9
RWByteAddressBuffer bytes;
[numthreads(1, 1, 1)] void main() { vector<float, 7> v = 1; bytes.Store(0, v.xy); }  // error: HLSL1405

// ---- -T ps_6_1
RWStructuredBuffer<float> registered : registers(u3);  // error: HLSL1056
struct S {
    float a[];  // error: HLSL1406
    uint b : 4 : B;  // error: HLSL1407
};
struct R : RayDesc { };  // error: HLSL1408
Texture2D textures[2][];  // error: HLSL1409
template<typename T> struct Box { T v; };
Box<Box<float>> nested;  // error: HLSL1516
struct Incomplete;
Incomplete f() { return (Incomplete)0; }  // error: HLSL1517 // error: HLSL1518
ByteAddressBuffer bytes;
cbuffer Overlap { float4 o1 : packoffset(c0); float2 o2 : packoffset(c0.z); }  // error: HLSL1067
void g(int a = 1);
void g(int a = 2) { }  // error: HLSL1521
float4 main(float4 p : P) : SV_Target {
    int whole = 1.5;  // warning: HLSL1520
    uint64_t large = 9223372036854775808;  // warning: HLSL1523
    bytes.Load<Texture2D>(0);  // error: HLSL1415 // error: HLSL1519
    bytes.Load<float, float3>(0);  // error: HLSL1519
    return GetAttributeAtVertex(p, 0);  // error: HLSL1515
}

// ---- -T ps_6_0 -Whlsl-legacy-literal
float4 main() : SV_Target { return 0xF0000000; }  // warning: HLSL1522

// ---- -T lib_6_10
[shader("vertex")] float4 main() : SV_Position {
    __builtin_LinAlgMatrix [[__LinAlgMatrix_Attributes(1, 5, 4, 2, 2)]] m;
    __builtin_LinAlg_FillMatrix(m, 1);  // error: HLSL1474
    return 0;
}

// ---- -T cs_6_10
[numthreads(32, 1, 1)] void main() {
    __builtin_LinAlgMatrix [[__LinAlgMatrix_Attributes(9, 16, 16)]] a;  // error: HLSL1832
    __builtin_LinAlgMatrix [[__LinAlgMatrix_Attributes(9, 16, 16.5, 0, 1)]] b;  // error: HLSL1833
    __builtin_LinAlg_FillMatrix(1, 1);  // error: HLSL0361
}

// ---- -T cs_6_10 -fspv-target-env=vulkan1.3
[numthreads(32, 1, 1)] void main() {
    __builtin_LinAlgMatrix [[__LinAlgMatrix_Attributes(9, 16, 16, 0, 1)]] a, b;
    __builtin_LinAlg_FillMatrix(a, 1);
    __builtin_LinAlg_CopyConvertMatrix(b, a, true);  // error: HLSL1834
}

// ---- -T cs_6_10 -fspv-target-env=vulkan1.3
#include <dx/linalg.h>
using namespace dx::linalg;
using Sums = Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave>;
RWByteAddressBuffer bytes;
groupshared float memory[256];
template <MatrixLayoutEnum Layout> void store(Sums sums) {
    sums.Store(bytes, 0, 64, Layout);  // error: HLSL1834
}
[numthreads(32, 1, 1)] void main() {
    const MatrixLayoutEnum optimal = MatrixLayout::MulOptimal;
    Sums sums = Sums::Load(bytes, 0, 64, MatrixLayout::ColMajor);
    sums = Sums::Load(bytes, 64, 64, optimal);  // error: HLSL1834
    sums = Sums::Load(memory, 1, 15, MatrixLayout::OuterProductOptimal);  // error: HLSL1834
    sums = Sums::Load(bytes, 6, 64, MatrixLayout::RowMajor);  // error: HLSL1834
    sums.Store(bytes, 64, 65, MatrixLayout::RowMajor);  // error: HLSL1834
    sums.Store(memory, 1, 15, MatrixLayout::RowMajor);
    store<MatrixLayout::RowMajor>(sums);
    store<MatrixLayout::MulOptimalTranspose>(sums);
}

// ---- -T cs_6_10 -fspv-target-env=vulkan1.3 // error: HLSL1834
#include <dx/linalg.h>
using namespace dx::linalg;
using Factors = Matrix<ComponentType::F32, 16, 16, MatrixUse::A, MatrixScope::Wave>;
RWByteAddressBuffer bytes;
[numthreads(32, 1, 1)] void main() {
    Factors factors = Factors::Splat(1);
    factors.Cast<ComponentType::F32, MatrixUse::B>().Store(bytes, 0, 64, MatrixLayout::RowMajor);  // note: HLSL1835
}

// ---- -T hs_6_0
struct P { float4 at : AT; };
struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
C constants(InputPatch<P, 3> p) { return (C)0; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("constants")]
P main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { constants(p); return p[i]; }  // error: HLSL1487

// ----
struct Result { float4 colour : SV_Target; float other : DIFFUSE; };  // error: HLSL0621
Result main() { return (Result)0; }

// ---- -T cs_6_8
RWStructuredBuffer<uint> values;
[numthreads(1, 1, 1)] void main() { Barrier(UAV_MEMORY, REORDER_SCOPE); values[0] = 1; }  // error: HLSL1486

// ---- -T lib_6_8
struct C { float4 v : P; };
struct Lines { float e[2] : SV_TessFactor; };
struct Triangles { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
Lines lines() { return (Lines)0; }
Triangles triangles() { return (Triangles)0; }
[shader("hull")] [outputcontrolpoints(3)] [outputtopology("line")] [patchconstantfunc("lines")]
float4 neither(uint i : SV_OutputControlPointID, InputPatch<C, 3> p) : POSITION { return p[i].v; }  // warning: HLSL1462 // warning: HLSL1462
[shader("hull")] [domain("isoline")] [partitioning("integer")] [outputcontrolpoints(3)] [patchconstantfunc("lines")]
[outputtopology("triangle_cw")]  // warning: HLSL1463
float4 isoline(uint i : SV_OutputControlPointID, InputPatch<C, 3> p) : POSITION { return p[i].v; }
[shader("hull")] [domain("tri")] [partitioning("integer")] [outputcontrolpoints(3)] [patchconstantfunc("triangles")]
[outputtopology("line")]  // warning: HLSL1463
float4 tri(uint i : SV_OutputControlPointID, InputPatch<C, 3> p) : POSITION { return p[i].v; }

// ---- -T lib_6_8
struct C { float4 v : P; };
struct Lines { float e[2] : SV_TessFactor; };
Lines lines() { return (Lines)0; }
[shader("hull")] [outputcontrolpoints(2)] [patchconstantfunc("lines")]
[outputtopology("point")]
float4 patch(OutputPatch<C, 2> p, uint i : SV_OutputControlPointID) : POSITION { return p[0].v; }  // error: HLSL1464
