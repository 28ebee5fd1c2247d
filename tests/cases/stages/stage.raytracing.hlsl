// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2 -fcgl stage.raytracing.hlsl
// RUN: -T lib_6_3 -fspv-extension=SPV_NV_ray_tracing -fspv-extension=SPV_KHR_ray_query -fcgl stage.raytracing.hlsl --check-prefix=NV
// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2 stage.raytracing.hlsl --check-prefix=FINAL

// CHECK: OpCapability RayTracingKHR
// CHECK: OpEntryPoint RayGenerationKHR %generate "generate" {{.*}}%scene %record %result %p %d
// CHECK: OpEntryPoint ClosestHitKHR %closest "closest"
// CHECK: OpEntryPoint CallableKHR %call "call"
// CHECK: OpDecorate %p Location 0
// CHECK: OpDecorate %d Location 0
// CHECK: %record = OpVariable %_ptr_ShaderRecordBufferKHR_type_ConstantBuffer_Record ShaderRecordBufferKHR
// NV: OpCapability RayTracingNV
// FINAL: OpTraceRayKHR

struct Payload { float4 color; };
struct Data { uint n; };
struct Hit { float2 place; };
struct Record { float4 tint; };

RaytracingAccelerationStructure scene;
[[vk::shader_record_ext]] ConstantBuffer<Record> record;
RWStructuredBuffer<float4> result;

// CHECK: %src_generate = OpFunction
// CHECK: [[p:%[0-9]+]] = OpLoad %Payload %p_3
// CHECK: OpStore %p [[p]]
// CHECK: OpTraceRayKHR {{%[0-9]+}} %uint_0 %uint_255 %uint_0 %uint_1 %uint_0 {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} %p
// CHECK-NEXT: [[back:%[0-9]+]] = OpLoad %Payload %p
// CHECK-NEXT: OpStore %p_3 [[back]]
// CHECK: OpExecuteCallableKHR %uint_3 %d
// NV: OpTraceNV {{.*}} %uint_0
// NV: OpExecuteCallableNV %uint_3 %uint_0
[shader("raygeneration")]
void generate() {
  uint3 id = DispatchRaysIndex();
  RayDesc ray = { float3(id), 0, float3(0, 0, 1), 100 };
  Payload p = { record.tint };
  TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 1, 0, ray, p);
  Data d = { id.x };
  CallShader(3, d);
  result[id.x] = p.color * d.n;
}

// The payload comes in a variable of its own and goes back there.
// CHECK: %closest = OpFunction
// CHECK: OpLoad %Payload %p_0
// CHECK: OpLoad %Hit %hit
// CHECK: OpFunctionCall %void %src_closest %param_var_p %param_var_hit
// CHECK: [[out:%[0-9]+]] = OpLoad %Payload %param_var_p
// CHECK: OpStore %p_0 [[out]]
// CHECK: OpTranspose %mat3v4float
[shader("closesthit")]
void closest(inout Payload p, in Hit hit) {
  p.color = float4(mul(ObjectToWorld3x4(), float4(hit.place, RayTCurrent(), 1)), 1);
}

// What an any-hit shader did to the payload is kept where it ends early.
// CHECK: %src_any = OpFunction
// CHECK: [[now:%[0-9]+]] = OpLoad %Payload %p_5
// CHECK: OpStore %p_1 [[now]]
// CHECK-NEXT: OpIgnoreIntersectionKHR
// NV: OpIgnoreIntersection{{NV|KHR}}
[shader("anyhit")]
void any(inout Payload p, in Hit hit) {
  p.color.x += 1;
  if (hit.place.x > 0.5)
    IgnoreHit();
}

// CHECK: OpReportIntersectionKHR %bool %float_1 %uint_2
[shader("intersection")]
void intersect() {
  Hit hit = { float2(0, 1) };
  ReportHit(1.0, 2, hit);
}

[shader("miss")]
void miss(inout Payload p) { p.color = 0; }

[shader("callable")]
void call(inout Data d) { d.n *= 2; }
