// RUN: not -T cs_6_5 -E main
// RUN: not -T lib_6_8 -DNODE -fspv-target-env=vulkan1.3 --check-prefix=NODE

RaytracingAccelerationStructure scene;
RWBuffer<uint> found;

#ifdef NODE
// NODE: error:
[Shader("node")] [NodeLaunch("thread")] void record(ThreadNodeInputRecord<uint> i) { found[0] = i.Get(); }
#else
[numthreads(1, 1, 1)] void main() {
  // CHECK: error: {{.*}}RayQuery
  RayQuery query;
  query.TraceRayInline(scene, 0, 255, (RayDesc)0);
  found[0] = query.Proceed();
}
#endif
