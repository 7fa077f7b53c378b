#include "base/hash.h"

#include <string.h>

static uint64_t fold(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

uint64_t rec_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    size_t left = bytes;
    for (; left >= 8; left -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = fold(hash, word);
    }
    if (left) {
        uint64_t word = 0;
        memcpy(&word, at, left);
        hash = fold(hash, word);
    }
    return fold(hash, bytes);
}
