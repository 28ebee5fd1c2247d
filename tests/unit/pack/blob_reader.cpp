// Looks a permutation up in a blob: `blob_reader FILE [NAME=VALUE...]` writes its binary to the standard output.
//
// The macros may come in any order.  Without the signature the file is the only binary.  Exit status 1: not there.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#ifdef EMBEDDED
#include EMBEDDED
#endif

static std::string name_of(const std::string& macro) { return macro.substr(0, macro.find('=')); }

int main(int count, char** words)
{
    std::vector<unsigned char> blob;
#ifdef EMBEDDED
    blob.assign(ARRAY, ARRAY + sizeof(ARRAY));
#else
    FILE* file = std::fopen(words[1], "rb");
    if (file == nullptr)
        return 2;
    for (int byte; (byte = std::fgetc(file)) != EOF;)
        blob.push_back(static_cast<unsigned char>(byte));
    std::fclose(file);
#endif
    std::vector<std::string> macros(words + 2, words + count);
    std::stable_sort(macros.begin(), macros.end(),
                     [](const std::string& a, const std::string& b) { return name_of(a) < name_of(b); });
    std::string key;
    for (const std::string& macro : macros)
        key += (key.empty() ? "" : " ") + macro;
    if (blob.size() < 4 || std::memcmp(blob.data(), "NVSP", 4) != 0) {
        if (!macros.empty())
            return 1;
        std::fwrite(blob.data(), 1, blob.size(), stdout);
        return 0;
    }
    for (size_t at = 4; at + 8 < blob.size();) {
        uint32_t sizes[2];
        std::memcpy(sizes, &blob[at], 8);
        at += 8;
        if (sizes[1] == 0 || at + sizes[0] + static_cast<size_t>(sizes[1]) > blob.size())
            return 1;
        if (std::string(blob.begin() + at, blob.begin() + at + sizes[0]) == key) {
            std::fwrite(&blob[at + sizes[0]], 1, sizes[1], stdout);
            return 0;
        }
        at += sizes[0] + static_cast<size_t>(sizes[1]);
    }
    return 1;
}
