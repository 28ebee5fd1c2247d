"""Data for the classifier and for name lookup: names of types that HLSL declares implicitly.

Sources: the HLSL reference of Microsoft Learn (types, resource objects, work graphs), DXC's SPIR-V manual (``vk::``).
"""

from __future__ import annotations

SCALARS: tuple[str, ...] = (
    "bool", "int", "uint", "dword", "half", "float", "double",
    "min10float", "min16float", "min12int", "min16int", "min16uint",
    "float16_t", "float32_t", "float64_t",
    "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
)  # fmt: skip
"""Each has vectors (``float1`` to ``float4``) and matrices (``float1x1`` to ``float4x4``)."""

PACKED: tuple[str, ...] = ("int8_t4_packed", "uint8_t4_packed")

INTEGER_WORDS: tuple[str, ...] = ("unsigned", "signed", "long", "short", "char")
"""Words that make up a type's name together, ``unsigned int``; all but the first two are errors that ``sema`` names."""

VECTORS: dict[str, tuple[str, int]] = {f"{base}{size}": (base, size) for base in SCALARS for size in (1, 2, 3, 4)}
"""``float3`` → ``("float", 3)``."""

MATRICES: dict[str, tuple[str, int, int]] = {
    f"{base}{rows}x{columns}": (base, rows, columns)
    for base in SCALARS
    for rows in (1, 2, 3, 4)
    for columns in (1, 2, 3, 4)
}
"""``float3x4`` → ``("float", 3, 4)``."""

OBJECTS: dict[str, tuple[int, int]] = {
    "vector": (0, 2),
    "matrix": (0, 3),
    # samplers and textures
    "SamplerState": (0, 0),
    "SamplerComparisonState": (0, 0),
    "Texture1D": (0, 1),
    "Texture1DArray": (0, 1),
    "Texture2D": (0, 1),
    "Texture2DArray": (0, 1),
    "Texture2DMS": (0, 2),
    "Texture2DMSArray": (0, 2),
    "Texture3D": (0, 1),
    "TextureCube": (0, 1),
    "TextureCubeArray": (0, 1),
    "RWTexture1D": (1, 1),
    "RWTexture1DArray": (1, 1),
    "RWTexture2D": (1, 1),
    "RWTexture2DArray": (1, 1),
    "RWTexture2DMS": (1, 2),
    "RWTexture2DMSArray": (1, 2),
    "RWTexture3D": (1, 1),
    "FeedbackTexture2D": (1, 1),
    "FeedbackTexture2DArray": (1, 1),
    "SubpassInput": (0, 1),
    "SubpassInputMS": (0, 1),
    # buffers
    "Buffer": (0, 1),
    "RWBuffer": (1, 1),
    "ByteAddressBuffer": (0, 0),
    "RWByteAddressBuffer": (0, 0),
    "StructuredBuffer": (1, 1),
    "RWStructuredBuffer": (1, 1),
    "AppendStructuredBuffer": (1, 1),
    "ConsumeStructuredBuffer": (1, 1),
    "ConstantBuffer": (1, 1),
    "TextureBuffer": (1, 1),
    # rasterizer ordered views
    "RasterizerOrderedBuffer": (1, 1),
    "RasterizerOrderedByteAddressBuffer": (0, 0),
    "RasterizerOrderedStructuredBuffer": (1, 1),
    "RasterizerOrderedTexture1D": (1, 1),
    "RasterizerOrderedTexture1DArray": (1, 1),
    "RasterizerOrderedTexture2D": (1, 1),
    "RasterizerOrderedTexture2DArray": (1, 1),
    "RasterizerOrderedTexture3D": (1, 1),
    # geometry and tessellation
    "InputPatch": (2, 2),
    "OutputPatch": (2, 2),
    "PointStream": (1, 1),
    "LineStream": (1, 1),
    "TriangleStream": (1, 1),
    # ray tracing
    "RaytracingAccelerationStructure": (0, 0),
    "RayDesc": (0, 0),
    "BuiltInTriangleIntersectionAttributes": (0, 0),
    "BuiltInTrianglePositions": (0, 0),
    "RayQuery": (1, 2),
    "StateObjectConfig": (0, 0),
    "GlobalRootSignature": (0, 0),
    "LocalRootSignature": (0, 0),
    "SubobjectToExportsAssociation": (0, 0),
    "RaytracingShaderConfig": (0, 0),
    "RaytracingPipelineConfig": (0, 0),
    "RaytracingPipelineConfig1": (0, 0),
    "TriangleHitGroup": (0, 0),
    "ProceduralPrimitiveHitGroup": (0, 0),
    # work graphs
    "DispatchNodeInputRecord": (1, 1),
    "RWDispatchNodeInputRecord": (1, 1),
    "GroupNodeInputRecords": (1, 1),
    "RWGroupNodeInputRecords": (1, 1),
    "ThreadNodeInputRecord": (1, 1),
    "RWThreadNodeInputRecord": (1, 1),
    "EmptyNodeInput": (0, 0),
    "NodeOutput": (1, 1),
    "EmptyNodeOutput": (0, 0),
    "NodeOutputArray": (1, 1),
    "EmptyNodeOutputArray": (0, 0),
    "ThreadNodeOutputRecords": (1, 1),
    "GroupNodeOutputRecords": (1, 1),
}
"""Object type → how many template arguments it takes, at least and at most."""

LEGACY_OBJECTS: tuple[str, ...] = (
    "sampler", "sampler1D", "sampler2D", "sampler3D", "samplerCUBE",
    "texture", "Texture", "texture1D", "texture2D", "texture3D", "textureCUBE",
    "BlendState", "DepthStencilState", "RasterizerState", "RenderTargetView", "DepthStencilView",
    "ComputeShader", "DomainShader", "GeometryShader", "HullShader", "PixelShader", "VertexShader",
    "pixelshader", "vertexshader", "pixelfragment", "vertexfragment",
)  # fmt: skip
"""Direct3D 9 and effects objects."""

EFFECT_OBJECTS: frozenset[str] = frozenset((
    "texture", "Texture", "pixelshader", "PixelShader", "vertexshader", "VertexShader", "pixelfragment",
    "vertexfragment", "ComputeShader", "DomainShader", "GeometryShader", "HullShader", "BlendState",
    "DepthStencilState", "DepthStencilView", "RasterizerState", "RenderTargetView",
))  # fmt: skip
"""Effect types that have no meaning in a shader; variables of them are ignored."""

OTHERS: tuple[str, ...] = (
    "void", "string", "auto", "__builtin_LinAlgMatrix",
    "RAY_FLAG", "RAYQUERY_FLAG", "COMMITTED_STATUS", "CANDIDATE_TYPE", "MEMORY_TYPE_FLAG", "BARRIER_SEMANTIC_FLAG",
)  # fmt: skip

KEYWORD_TYPES: frozenset[str] = frozenset(("void", "auto", "bool", "int", "float", "double"))
"""Types whose names are keywords: nothing can be declared by that name.  The others (``half``, ``uint``) can be
hidden."""

SCOPED: dict[str, dict[str, tuple[int, int]]] = {
    "vk": {
        "SpirvType": (3, 64),
        "SpirvOpaqueType": (1, 64),
        "Literal": (1, 1),
        "integral_constant": (2, 2),
        "ext_type": (1, 1),
        "ext_result_id": (1, 1),
        "BufferPointer": (1, 2),
        "SampledTexture1D": (0, 1),
        "SampledTexture1DArray": (0, 1),
        "SampledTexture2D": (0, 1),
        "SampledTexture2DArray": (0, 1),
        "SampledTexture2DMS": (0, 1),
        "SampledTexture2DMSArray": (0, 1),
        "SampledTexture3D": (0, 1),
        "SampledTextureCUBE": (0, 1),
        "SampledTextureCUBEArray": (0, 1),
        "SubpassInput": (0, 1),
        "SubpassInputMS": (0, 1),
    },
    "dx": {"HitObject": (0, 0)},
    "std": {"is_same": (2, 2)},
}
"""Types inside built-in namespaces, with the numbers of their template arguments."""

BUILTIN_TYPES: frozenset[str] = frozenset((*SCALARS, *PACKED, *VECTORS, *MATRICES, *OBJECTS, *LEGACY_OBJECTS, *OTHERS))
"""Every name that is a type everywhere, without a qualifier."""
