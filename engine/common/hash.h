// hash.h: a 64-bit fingerprint of bytes, for traces and replays. Not for secrets.
#ifndef SL_HASH_H
#define SL_HASH_H

#include "base.h"

#define SL_HASH_START 0x9ae16a3b2f90404full

SL_FN uint64_t sl_hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    return hash ^ (hash >> 32);
}

// Eight bytes at a time, the tail padded with zeros, the length last. Little-endian machines only,
// which gcc, WebAssembly and CUDA targets of this project all are.
SL_FN uint64_t sl_hash_bytes(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *p = (const unsigned char *)data;
    size_t left = bytes;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word;
        sl_copy(&word, p, 8);
        hash = sl_hash_word(hash, word);
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < left; i++) tail |= (uint64_t)p[i] << (8 * i);
    hash = sl_hash_word(hash, tail);
    return sl_hash_word(hash, (uint64_t)bytes);
}

#endif
