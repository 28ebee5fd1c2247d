/* Asks a pack everything there is to ask.
 *
 *   reader FILE                      prints it
 *   reader FILE SHADER NAME=VALUE…   prints what a look-up finds
 *   reader FILE --fuzz N             does the first with N damaged copies, each in memory of exactly its size */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlsl_pack.h"

static unsigned long sum;

static void show(const hlsl_pack *pack, uint32_t shader, int quiet)
{
    uint32_t kind, at;
    for (at = 0; hlsl_pack_name(pack, shader)[at] != 0; ++at)
        sum += (unsigned char)hlsl_pack_name(pack, shader)[at];
    sum += strlen(hlsl_pack_entry_point(pack, shader)) + strlen(hlsl_pack_shader(pack, shader));
    if (!quiet)
        printf("%s|%s|%s|%u", hlsl_pack_name(pack, shader), hlsl_pack_shader(pack, shader),
               hlsl_pack_entry_point(pack, shader), (unsigned)hlsl_pack_stage(pack, shader));
    for (kind = 0; kind < pack->kinds.count; ++kind) {
        hlsl_pack_blob blob = hlsl_pack_get(pack, shader, kind);
        for (at = 0; at < blob.size; ++at)
            sum += blob.data[at];
        if (!quiet)
            printf("|%.*s", (int)blob.size, blob.data != NULL ? (const char *)blob.data : "");
    }
    if (!quiet)
        printf("\n");
}

static int all(const void *data, size_t size, int quiet)
{
    hlsl_pack pack;
    hlsl_pack_macro macros[2];
    uint32_t shader;
    int status = hlsl_pack_open(&pack, data, size);
    if (status != HLSL_PACK_OK)
        return status;
    macros[0] = hlsl_pack_define("A", "1");
    macros[1] = hlsl_pack_define("B", "0");
    for (shader = 0; shader < hlsl_pack_count(&pack); ++shader) {
        show(&pack, shader, quiet);
        sum += hlsl_pack_find(&pack, hlsl_pack_hash(hlsl_pack_shader(&pack, shader)), macros, 2);
    }
    show(&pack, HLSL_PACK_NONE, 1);
    sum += hlsl_pack_kind(&pack, "spv") + hlsl_pack_find(&pack, hlsl_pack_hash("dir/one"), NULL, 0);
    return HLSL_PACK_OK;
}

static unsigned char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data;
    if (file == NULL)
        exit(2);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    data = (unsigned char *)malloc(*size > 0 ? *size : 1);
    if (data == NULL || fread(data, 1, *size, file) != *size)
        exit(2);
    fclose(file);
    return data;
}

static uint32_t random_number(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static void fuzz(const unsigned char *data, size_t size, long count)
{
    static const uint32_t ends[] = {0, 1, 0xFF, 0x7FFFFFFF, 0x80000000u, 0xFFFFFFFCu, 0xFFFFFFFFu};
    long number, opened = 0;
    for (number = 0; number < count; ++number) {
        size_t length = number % 4 == 0 ? random_number() % (size + 1) : size;
        unsigned char *copy = (unsigned char *)malloc(length > 0 ? length : 1);
        uint32_t edits = random_number() % 4;
        if (copy == NULL)
            exit(2);
        memcpy(copy, data, length);
        for (; edits > 0 && length >= 4; --edits) {
            size_t near = random_number() % 2 ? length : length < 64 ? length : 64;
            size_t at = random_number() % (near - 3) / 4 * 4;
            uint32_t value = random_number() % 2 ? ends[random_number() % 7] : random_number() % (uint32_t)(2 * size);
            memcpy(copy + at, &value, 4);
        }
        if (length >= 16 && number % 2 == 0) { /* as if it had been meant to be so long */
            uint32_t value = (uint32_t)length;
            memcpy(copy + 12, &value, 4);
        }
        opened += all(copy, length, 1) == HLSL_PACK_OK;
        free(copy);
    }
    printf("%ld of %ld were opened, %lu\n", opened, count, sum);
}

int main(int count, char **arguments)
{
    size_t size = 0;
    unsigned char *data;
    int status = 0;
    if (count < 2)
        return 2;
    data = read_all(arguments[1], &size);
    if (count == 4 && strcmp(arguments[2], "--fuzz") == 0) {
        fuzz(data, size, atol(arguments[3]));
    } else if (count > 2) {
        hlsl_pack pack;
        hlsl_pack_macro macros[16];
        size_t number, used = 0;
        uint32_t shader;
        status = hlsl_pack_open(&pack, data, size);
        for (number = 3; number < (size_t)count && used < 16; ++number) {
            char *value = strchr(arguments[number], '=');
            if (value != NULL)
                *value++ = 0;
            macros[used++] = hlsl_pack_define(arguments[number], value);
        }
        shader = hlsl_pack_find(&pack, hlsl_pack_hash(arguments[2]), macros, used);
        if (shader == HLSL_PACK_NONE)
            printf("none\n");
        else
            show(&pack, shader, 0);
    } else {
        status = all(data, size, 0);
    }
    free(data);
    return status;
}
