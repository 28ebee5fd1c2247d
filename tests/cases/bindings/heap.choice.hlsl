// RUN: -T ps_6_6 -E main
// RUN: not -T ps_6_6 -E main -DSELECT --check-prefix=SELECT

// A conditional between two elements of a heap chooses their indices.
// CHECK: [[index:%[0-9]+]] = OpSelect %uint {{%[0-9]+}} %uint_1 %uint_2
// CHECK-NEXT: OpAccessChain {{%\w+}} %ResourceDescriptorHeap [[index]]
// SELECT: :13:17: error: a choice of descriptors other than by `?:` between two indices is not supported yet
float4 main(nointerpolation uint k : K) : SV_Target {
#ifndef SELECT
  Texture2D<float4> t = k > 4 ? ResourceDescriptorHeap[1] : ResourceDescriptorHeap[2];
  Texture2D<float4> u = (ResourceDescriptorHeap[k]);
#else
  Texture2D t = select(k > 4, ResourceDescriptorHeap[1], ResourceDescriptorHeap[2]), u = ResourceDescriptorHeap[0];
#endif
  return t.Load(0) + u.Load(0);
}
