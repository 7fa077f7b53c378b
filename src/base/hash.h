/* A 64-bit checksum: finds damage and foreign checkpoints, is no defence against malice. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define REC_HASH_START UINT64_C(0xcbf29ce484222325)

/* Folds `bytes` bytes into `hash`: 8 bytes at a time in memory order, xor and multiply as FNV-1a
 * does with single bytes, then a shift that brings high bits down. The tail is padded with zeros
 * and the length folded in, so the result depends on how the data was cut into calls. */
static inline uint64_t rec_hash(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        const char *at = (const char *)data + i;
        uint64_t word = 0;
        if (bytes - i >= 8) /* a constant size: a single load */
            memcpy(&word, at, 8);
        else
            memcpy(&word, at, bytes - i);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    hash = (hash ^ bytes) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}
