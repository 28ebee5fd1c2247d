/* Reads the pack files of hlsl_tool: many shaders, with all their permutations, in one file.
 *
 * C99 or C++, this header alone, nothing is allocated, nothing is written to.  Whatever the bytes are, nothing outside
 * of them is read.  The format is described in docs/how-to/pack.md.
 *
 *     hlsl_pack pack;
 *     if (hlsl_pack_open(&pack, data, size) != HLSL_PACK_OK) ...;   // data stays the caller's, and in its place
 *
 *     hlsl_pack_macro macros[] = { hlsl_pack_define("SHADOWS", "1"), hlsl_pack_define("QUALITY", "2") };
 *     uint32_t shader = hlsl_pack_find(&pack, hlsl_pack_hash("lit/pbr.PSMain"), macros, 2);
 *     hlsl_pack_blob code = hlsl_pack_get(&pack, shader, hlsl_pack_kind(&pack, "spv"));
 *     // code.data, code.size: for VkShaderModuleCreateInfo, if `data` lies at a multiple of 4
 *
 * Hashes and macros can be made once and kept; to look a permutation up adds numbers and searches.
 */
#ifndef HLSL_PACK_H
#define HLSL_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HLSL_PACK_VERSION 1u
#define HLSL_PACK_NONE 0xFFFFFFFFu

enum {
    HLSL_PACK_OK = 0,
    HLSL_PACK_NOT_A_PACK = 1, /* other bytes */
    HLSL_PACK_OTHER_VERSION = 2,
    HLSL_PACK_DAMAGED = 3 /* cut off, or with tables that lie outside of it */
};

typedef struct hlsl_pack_table {
    uint32_t count, offset;
} hlsl_pack_table;

typedef struct hlsl_pack {
    const unsigned char *data;
    uint32_t size;
    hlsl_pack_table kinds, groups, axes, entries, blobs;
    uint32_t strings, strings_size;
    uint32_t entry_size;
} hlsl_pack;

typedef struct hlsl_pack_macro {
    uint64_t name;  /* hash of NAME */
    uint64_t value; /* hash of NAME=VALUE */
} hlsl_pack_macro;

typedef struct hlsl_pack_blob {
    const unsigned char *data; /* NULL where there is none */
    uint32_t size;
} hlsl_pack_blob;

/* ---- inside ---------------------------------------------------------------------------------------------------- */

#define HLSL_PACK_HEADER_SIZE_ 64u
#define HLSL_PACK_KIND_SIZE_ 8u
#define HLSL_PACK_GROUP_SIZE_ 24u
#define HLSL_PACK_AXIS_SIZE_ 16u
#define HLSL_PACK_ENTRY_SIZE_ 32u
#define HLSL_PACK_BLOB_SIZE_ 8u

static inline uint32_t hlsl_pack_u32_(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t hlsl_pack_u64_(const unsigned char *at)
{
    return (uint64_t)hlsl_pack_u32_(at) | (uint64_t)hlsl_pack_u32_(at + 4) << 32;
}

static inline hlsl_pack_table hlsl_pack_table_(const unsigned char *at)
{
    hlsl_pack_table table;
    table.count = hlsl_pack_u32_(at);
    table.offset = hlsl_pack_u32_(at + 4);
    return table;
}

static inline int hlsl_pack_fits_(hlsl_pack_table table, uint32_t row, uint32_t size)
{
    return (uint64_t)table.offset + (uint64_t)table.count * row <= size;
}

static inline uint64_t hlsl_pack_hash_more_(uint64_t hash, const char *text)
{
    for (; *text; ++text)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    return hash;
}

static inline uint64_t hlsl_pack_hash_end_(uint64_t hash)
{
    hash = (hash ^ hash >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ hash >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return hash ^ hash >> 33;
}

/* The text that a pair (offset, length) in the tables stands for; empty where it lies outside. */
static inline const char *hlsl_pack_text_(const hlsl_pack *pack, const unsigned char *at)
{
    uint64_t start = hlsl_pack_u32_(at), end = start + hlsl_pack_u32_(at + 4);
    const unsigned char *text;
    if (end >= pack->strings_size)
        return "";
    text = pack->data + pack->strings + start;
    return text[end - start] == 0 ? (const char *)text : "";
}

static inline const unsigned char *hlsl_pack_entry_(const hlsl_pack *pack, uint32_t shader)
{
    if (shader >= pack->entries.count)
        return NULL;
    return pack->data + pack->entries.offset + (size_t)shader * pack->entry_size;
}

static inline const unsigned char *hlsl_pack_group_(const hlsl_pack *pack, uint32_t group)
{
    return pack->data + pack->groups.offset + (size_t)group * HLSL_PACK_GROUP_SIZE_;
}

/* The entry of a key and a group; keys are sorted, and no two are equal. */
static inline uint32_t hlsl_pack_search_(const hlsl_pack *pack, uint64_t key, uint32_t group)
{
    uint32_t low = 0, high = pack->entries.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const unsigned char *entry = hlsl_pack_entry_(pack, middle);
        uint64_t found = hlsl_pack_u64_(entry);
        if (found == key)
            return hlsl_pack_u32_(entry + 8) == group ? middle : HLSL_PACK_NONE;
        if (found < key)
            low = middle + 1;
        else
            high = middle;
    }
    return HLSL_PACK_NONE;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

/* Groups are sorted by their hashes, and each has macros of its own, behind those of the group before: a look-up visits
 * every macro once at most. */
static inline int hlsl_pack_groups_are_sorted_(const hlsl_pack *pack)
{
    uint64_t total = 0, last = 0;
    uint32_t number;
    for (number = 0; number < pack->groups.count; ++number) {
        const unsigned char *group = hlsl_pack_group_(pack, number);
        uint64_t hash = hlsl_pack_u64_(group);
        if (hash < last || hlsl_pack_u32_(group + 16) != total)
            return 0;
        total += hlsl_pack_u32_(group + 20);
        last = hash;
    }
    return total <= pack->axes.count;
}

/* Looks at the tables; the bytes must stay where they are as long as the pack is used. */
static inline int hlsl_pack_open(hlsl_pack *pack, const void *data, size_t size)
{
    const unsigned char *at = (const unsigned char *)data;
    memset(pack, 0, sizeof *pack);
    if (at == NULL || size < HLSL_PACK_HEADER_SIZE_ || memcmp(at, "HLSLPACK", 8) != 0)
        return HLSL_PACK_NOT_A_PACK;
    if (hlsl_pack_u32_(at + 8) != HLSL_PACK_VERSION)
        return HLSL_PACK_OTHER_VERSION;
    if (hlsl_pack_u32_(at + 12) != size)
        return HLSL_PACK_DAMAGED;
    pack->size = (uint32_t)size;
    pack->kinds = hlsl_pack_table_(at + 16);
    pack->groups = hlsl_pack_table_(at + 24);
    pack->axes = hlsl_pack_table_(at + 32);
    pack->entries = hlsl_pack_table_(at + 40);
    pack->blobs = hlsl_pack_table_(at + 48);
    pack->strings = hlsl_pack_u32_(at + 56);
    pack->strings_size = hlsl_pack_u32_(at + 60);
    if (!hlsl_pack_fits_(pack->kinds, HLSL_PACK_KIND_SIZE_, pack->size) ||
        !hlsl_pack_fits_(pack->groups, HLSL_PACK_GROUP_SIZE_, pack->size) ||
        !hlsl_pack_fits_(pack->axes, HLSL_PACK_AXIS_SIZE_, pack->size) ||
        !hlsl_pack_fits_(pack->blobs, HLSL_PACK_BLOB_SIZE_, pack->size) ||
        (uint64_t)pack->strings + pack->strings_size > pack->size) {
        memset(pack, 0, sizeof *pack);
        return HLSL_PACK_DAMAGED;
    }
    /* There are at most size / 8 kinds, so this does not overflow. */
    pack->entry_size = (HLSL_PACK_ENTRY_SIZE_ + 4u * pack->kinds.count + 7u) & ~7u;
    if (!hlsl_pack_fits_(pack->entries, pack->entry_size, pack->size)) {
        memset(pack, 0, sizeof *pack);
        return HLSL_PACK_DAMAGED;
    }
    pack->data = at;
    if (!hlsl_pack_groups_are_sorted_(pack)) {
        memset(pack, 0, sizeof *pack);
        return HLSL_PACK_DAMAGED;
    }
    return HLSL_PACK_OK;
}

/* ---- looking up ------------------------------------------------------------------------------------------------ */

/* The hash of a shader's name, such as "lit/pbr.PSMain". */
static inline uint64_t hlsl_pack_hash(const char *text)
{
    return hlsl_pack_hash_end_(hlsl_pack_hash_more_(UINT64_C(0xCBF29CE484222325), text));
}

/* A macro and its value as text; NULL or "" for one that is defined without a value. */
static inline hlsl_pack_macro hlsl_pack_define(const char *name, const char *value)
{
    hlsl_pack_macro macro;
    uint64_t hash = hlsl_pack_hash_more_(UINT64_C(0xCBF29CE484222325), name);
    macro.name = hlsl_pack_hash_end_(hash);
    hash = hlsl_pack_hash_more_(hash, "=");
    macro.value = hlsl_pack_hash_end_(hlsl_pack_hash_more_(hash, value != NULL ? value : ""));
    return macro;
}

/* The permutation of a shader under these macros, or HLSL_PACK_NONE.  Macros that the shader does not vary in do not
 * matter, none that it does may be missing, and of two of one name the first counts. */
static inline uint32_t hlsl_pack_find(const hlsl_pack *pack, uint64_t shader, const hlsl_pack_macro *macros,
                                      size_t count)
{
    uint32_t low = 0, high = pack->groups.count;
    while (low < high) { /* the first group that is not below; groups are sorted by their hashes */
        uint32_t middle = low + (high - low) / 2;
        if (hlsl_pack_u64_(hlsl_pack_group_(pack, middle)) < shader)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < pack->groups.count; ++low) {
        const unsigned char *group = hlsl_pack_group_(pack, low);
        uint32_t axis = hlsl_pack_u32_(group + 16), left = hlsl_pack_u32_(group + 20), found;
        uint64_t key = shader;
        if (hlsl_pack_u64_(group) != shader)
            break;
        if ((uint64_t)axis + left > pack->axes.count)
            continue;
        for (; left > 0; --left, ++axis) {
            uint64_t name = hlsl_pack_u64_(pack->data + pack->axes.offset + (size_t)axis * HLSL_PACK_AXIS_SIZE_);
            size_t number = 0;
            while (number < count && macros[number].name != name)
                ++number;
            if (number == count)
                break;
            key += macros[number].value;
        }
        if (left > 0)
            continue;
        found = hlsl_pack_search_(pack, key, low);
        if (found != HLSL_PACK_NONE)
            return found;
    }
    return HLSL_PACK_NONE;
}

/* How many permutations there are; they are numbered from 0. */
static inline uint32_t hlsl_pack_count(const hlsl_pack *pack) { return pack->entries.count; }

/* The number of a kind of output ("spv"), or HLSL_PACK_NONE. */
static inline uint32_t hlsl_pack_kind(const hlsl_pack *pack, const char *kind)
{
    uint32_t number;
    for (number = 0; number < pack->kinds.count; ++number)
        if (strcmp(hlsl_pack_text_(pack, pack->data + pack->kinds.offset + (size_t)number * HLSL_PACK_KIND_SIZE_),
                   kind) == 0)
            return number;
    return HLSL_PACK_NONE;
}

/* An output of a permutation. */
static inline hlsl_pack_blob hlsl_pack_get(const hlsl_pack *pack, uint32_t shader, uint32_t kind)
{
    hlsl_pack_blob blob = {NULL, 0};
    const unsigned char *entry = hlsl_pack_entry_(pack, shader), *row;
    uint32_t number, offset, size;
    if (entry == NULL || kind >= pack->kinds.count)
        return blob;
    number = hlsl_pack_u32_(entry + HLSL_PACK_ENTRY_SIZE_ + (size_t)kind * 4u);
    if (number >= pack->blobs.count)
        return blob;
    row = pack->data + pack->blobs.offset + (size_t)number * HLSL_PACK_BLOB_SIZE_;
    offset = hlsl_pack_u32_(row);
    size = hlsl_pack_u32_(row + 4);
    if (offset % 4u != 0 || (uint64_t)offset + size > pack->size)
        return blob;
    blob.data = pack->data + offset;
    blob.size = size;
    return blob;
}

/* What a permutation is called in the manifest, and its shader without the macros; "" where there is none. */
static inline const char *hlsl_pack_name(const hlsl_pack *pack, uint32_t shader)
{
    const unsigned char *entry = hlsl_pack_entry_(pack, shader);
    return entry != NULL ? hlsl_pack_text_(pack, entry + 16) : "";
}

static inline const char *hlsl_pack_shader(const hlsl_pack *pack, uint32_t shader)
{
    const unsigned char *entry = hlsl_pack_entry_(pack, shader);
    uint32_t group = entry != NULL ? hlsl_pack_u32_(entry + 8) : HLSL_PACK_NONE;
    return group < pack->groups.count ? hlsl_pack_text_(pack, hlsl_pack_group_(pack, group) + 8) : "";
}

/* The entry point's name in SPIR-V: pName of VkPipelineShaderStageCreateInfo. */
static inline const char *hlsl_pack_entry_point(const hlsl_pack *pack, uint32_t shader)
{
    const unsigned char *entry = hlsl_pack_entry_(pack, shader);
    return entry != NULL ? hlsl_pack_text_(pack, entry + 24) : "";
}

/* The execution model of SPIR-V (0 vertex … 5 compute); HLSL_PACK_NONE for a library. */
static inline uint32_t hlsl_pack_stage(const hlsl_pack *pack, uint32_t shader)
{
    const unsigned char *entry = hlsl_pack_entry_(pack, shader);
    return entry != NULL ? hlsl_pack_u32_(entry + 12) : HLSL_PACK_NONE;
}

#endif
