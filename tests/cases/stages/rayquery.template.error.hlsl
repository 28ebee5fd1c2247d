// RUN: not -T cs_6_5 -E main
// RUN: not -T cs_6_5 -E copies -DCOPY -fspv-target-env=vulkan1.2 --check-prefix=COPY
// RUN: not -T lib_6_8 -DNODE -fspv-target-env=vulkan1.3 --check-prefix=NODE

RaytracingAccelerationStructure scene;
RWBuffer<uint> found;

#ifdef NODE
// NODE: error:
[Shader("node")] [NodeLaunch("thread")] void record(ThreadNodeInputRecord<uint> i) { found[0] = i.Get(); }
#elif defined(COPY)
RayQuery<1> made() { RayQuery<1> query; return query; }
[numthreads(1, 1, 1)] void copies() {
  RayQuery<1> first, second;
  // COPY: :16:3: error: a RayQuery cannot be copied
  second = first;
  // COPY: :18:23: error: a RayQuery cannot be copied
  RayQuery<1> third = made();
  found[0] = second.Proceed() + third.Proceed();
}
#else
[numthreads(1, 1, 1)] void main() {
  // CHECK: error: {{.*}}RayQuery
  RayQuery query;
  query.TraceRayInline(scene, 0, 255, (RayDesc)0);
  found[0] = query.Proceed();
}
#endif
