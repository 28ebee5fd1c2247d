// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 hitobject.alias.hlsl

RWStructuredBuffer<uint> result;

typedef dx::HitObject Hit;
template<typename T> T nothing() { return T::MakeNop(); }

// CHECK: OpHitObjectRecordEmptyEXT [[FIRST:%\w+]]
// CHECK: OpHitObjectRecordEmptyEXT [[SECOND:%\w+]]
// CHECK-DAG: OpHitObjectIsEmptyEXT %bool [[FIRST]]
// CHECK-DAG: OpHitObjectIsEmptyEXT %bool [[SECOND]]
[shader("raygeneration")] void main() {
  Hit first = Hit::MakeNop();
  Hit second = nothing<Hit>();
  result[0] = first.IsNop() && second.IsNop();
}
