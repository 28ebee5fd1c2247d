// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.flow.hlsl -O0
// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.flow.hlsl -O3

// Parameters of each direction, conditionals and loops leave one place for what is one hit object at a time.
// CHECK: [[h:%[0-9]+]] = OpVariable %_ptr_Function_hitObjectEXT Function
// CHECK-NOT: OpVariable %_ptr_Function_hitObjectEXT
// CHECK: OpHitObjectRecordEmptyEXT [[h]]
// CHECK-NOT: OpLoad %hitObjectEXT
// CHECK: OpHitObjectRecordMissEXT [[h]]
// CHECK-NOT: OpLoad %hitObjectEXT
// CHECK: OpHitObjectSetShaderBindingTableRecordIndexEXT [[h]]
// CHECK-NOT: OpLoad %hitObjectEXT
// CHECK: OpHitObjectIsMissEXT %bool [[h]]
RWStructuredBuffer<float> seen;
void fill(inout dx::HitObject h, uint i) {
  if (h.IsNop()) h = dx::HitObject::MakeMiss(0, i, (RayDesc)0);
  h.SetShaderTableIndex(i);
}
[shader("raygeneration")] void main() {
  uint3 id = DispatchRaysIndex();
  dx::HitObject h;
  for (uint i = 0; i < id.x; i++) fill(h, i);
  dx::HitObject same = h;
  seen[id.x] = same.IsMiss();
}
