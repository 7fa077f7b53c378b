/* A 64-bit checksum for checkpoints: finds damage and foreign files, is no defence against
 * malice. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define REC_HASH_START UINT64_C(0xcbf29ce484222325)

/* Folds `bytes` bytes into `hash`: 8 bytes at a time in memory order, xor and multiply as FNV-1a
 * does with single bytes, then a shift that brings high bits down. The tail is padded with zeros
 * and the length folded in, so the result depends on how the data was cut into calls. */
uint64_t rec_hash(uint64_t hash, const void *data, size_t bytes);
