// RUN: -T cs_6_5 -E main -fcgl

[[vk::ext_capability(/* RayQueryKHR */ 4472), vk::ext_extension("SPV_KHR_ray_query")]]
[[vk::ext_type_def(/* number */ 2, /* OpTypeRayQueryKHR */ 4472)]]
void makeRayQuery();

[[vk::ext_instruction(/* OpRayQueryTerminateKHR */ 4474)]]
void terminate([[vk::ext_reference]] vk::ext_type<2> query);

[numthreads(1, 1, 1)] void main() {
  makeRayQuery();
  vk::ext_type<2> query;
  // CHECK: %spirvIntrinsicType = OpTypeRayQueryKHR
  // CHECK: OpRayQueryTerminateKHR %query
  terminate(query);
}
