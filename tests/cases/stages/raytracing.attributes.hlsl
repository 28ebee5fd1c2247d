// RUN: -T lib_6_3 -fspv-target-env=vulkan1.2 raytracing.attributes.hlsl

// Vulkan allows an entry point one variable for the attributes of a hit: those that another reports are not listed.
// CHECK: OpEntryPoint IntersectionKHR %box "box" %t{{$}}
// CHECK: OpEntryPoint ClosestHitKHR %near "near" %p %a{{$}}
struct Payload { float x; };
struct Touch { float2 where; };
[shader("intersection")] void box() {
  Touch t = { float2(0.25, 0.75) };
  ReportHit(7.5, 6, t);
}
[shader("closesthit")] void near(inout Payload p, Touch a) { p.x += a.where.y; }
