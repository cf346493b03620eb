// memory.h: where a batch's memory comes from. Zeroed, given back at destroy. All of it is asked for at create
// but the room for finished episodes, which grows while nobody fetches them.
#ifndef SL_MEMORY_H
#define SL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define SL_MAX_KNOBS 512

#if defined(__clang__)
#define SL_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define SL_COMPILER "gcc " __VERSION__
#else
#define SL_COMPILER "unknown compiler"
#endif

#define SL_MEMORY_MOST (SIZE_MAX / 4)   // bytes in one piece; a count times a size is checked against it

#if defined(SL_FREESTANDING)    // WebAssembly: wasm/wasm.c brings its own
#define SL_THREAD_LOCAL
void *sl_allocate(size_t bytes);
void sl_release(void *memory);
#else
#include <stdlib.h>
#define SL_THREAD_LOCAL _Thread_local

// Worlds lie far apart and each step visits them all: with small pages the processor spends a tenth of its
// time finding them. Large pieces therefore ask for large pages; where there are none, nothing is lost.
#if defined(__linux__)
#include <sys/mman.h>
#define SL_LARGE (4u << 20)     // bytes from which it pays
#define SL_PAGE 4096u
static void sl_ask_for_large_pages(void *memory, size_t bytes) {
    uintptr_t first = ((uintptr_t)memory + SL_PAGE - 1u) & ~(uintptr_t)(SL_PAGE - 1u);
    madvise((void *)first, bytes - (size_t)(first - (uintptr_t)memory), MADV_HUGEPAGE);
}
#else
#define SL_LARGE SIZE_MAX
static void sl_ask_for_large_pages(void *memory, size_t bytes) { (void)memory; (void)bytes; }
#endif

static void *sl_allocate(size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    if (memory && bytes >= SL_LARGE) sl_ask_for_large_pages(memory, bytes);
    return memory;
}
static void sl_release(void *memory) { free(memory); }
#endif

// Null also when the product does not fit, which on a 32-bit machine it may not.
static inline void *sl_allocate_many(int64_t count, size_t size) {
    uint64_t bytes = (uint64_t)count * (uint64_t)size;
    return bytes <= SL_MEMORY_MOST ? sl_allocate((size_t)bytes) : NULL;
}

#endif
