// RUN: -T cs_6_0 -E main
// A texture of two components that is read and written has four in WebGPU.
RWTexture2D<float2> image;

// CHECK: var image: texture_storage_2d<rgba32float, read_write>;
[numthreads(8, 8, 1)] void main(uint2 at : SV_DispatchThreadID) {
  // CHECK: textureStore(image, {{.*}}, vec4f(vec4f(textureLoad(image, {{.*}}).xy, 0.0f, 1.0f)
  image[at] = image[at].yx;
}
