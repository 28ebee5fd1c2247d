// RUN: not -T ps_6_5 -E main

// CHECK: error: Texture resource type 'FeedbackTexture2D' is not supported with -spirv
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> smallest;
// CHECK: error: Texture resource type 'FeedbackTexture2DArray' is not supported with -spirv
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIP_REGION_USED> regions;
float main() : SV_Target { return 0; }
