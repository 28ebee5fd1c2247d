// Points to squares that face the camera, one layer of a cube map for each instance.

cbuffer Views : register(b0) {
    float4x4 viewProjection[6];
    float3 right[6];
    float3 up[6];
};

struct Sprite {
    float3 centre : POSITION;
    float size : SIZE;
    float4 colour : COLOUR;
};

struct Corner {
    float4 clip : SV_Position;
    float2 uv : UV;
    float4 colour : COLOUR;
    uint layer : SV_RenderTargetArrayIndex;
};

Sprite VSMain(Sprite sprite) {
    return sprite;
}

[maxvertexcount(4)]
[instance(6)]
void GSMain(point Sprite sprites[1], uint face : SV_GSInstanceID, inout TriangleStream<Corner> corners) {
    Sprite sprite = sprites[0];
    [unroll]
    for (uint i = 0; i < 4; ++i) {
        float2 at = float2(i & 1, i >> 1) * 2 - 1;
        float3 position = sprite.centre + (right[face] * at.x + up[face] * at.y) * sprite.size;
        Corner corner;
        corner.clip = mul(viewProjection[face], float4(position, 1));
        corner.uv = at * 0.5 + 0.5;
        corner.colour = sprite.colour;
        corner.layer = face;
        corners.Append(corner);
    }
    corners.RestartStrip();
}
