// wasm.c: what WebAssembly lacks and the engine needs: memory to ask for, and the three memory functions
// that a compiler may call by itself. No rules live here.
#include "../abi/memory.h"
#include "../abi/sandlot.h"
#include "../common/hash.h"

#define SL_PAGE 65536u          // bytes in a page of WebAssembly memory
#define SL_ALIGN 16u            // bytes; also the size of a block's head

// ---------------------------------------------------------------- bytes

// Left to itself the compiler would turn each of these loops into a call of the function it is in.
#define SL_PLAIN __attribute__((no_builtin("memcpy", "memset", "memmove")))

SL_PLAIN void *memcpy(void *SL_RESTRICT to, const void *SL_RESTRICT from, size_t bytes) {
    char *out = (char *)to;
    const char *in = (const char *)from;
    for (size_t i = 0; i < bytes; i++) out[i] = in[i];
    return to;
}

SL_PLAIN void *memmove(void *to, const void *from, size_t bytes) {
    char *out = (char *)to;
    const char *in = (const char *)from;
    if (out <= in) for (size_t i = 0; i < bytes; i++) out[i] = in[i];
    else for (size_t i = bytes; i-- > 0;) out[i] = in[i];
    return to;
}

SL_PLAIN void *memset(void *to, int byte, size_t bytes) {
    char *out = (char *)to;
    for (size_t i = 0; i < bytes; i++) out[i] = (char)byte;
    return to;
}

// ---------------------------------------------------------------- blocks

// Free blocks form a list in order of address, so that neighbours can grow together again: a page that
// makes and destroys batches for hours stays as large as its largest moment.
typedef struct SlBlock {
    size_t bytes;               // after this head
    struct SlBlock *next;       // the next free block; means nothing while the block is in use
    size_t unused[2];
} SlBlock;

SL_STATIC_ASSERT(sizeof(SlBlock) == SL_ALIGN, "what follows a head must be aligned");

extern unsigned char __heap_base;   // the linker's: everything after it is ours
static SlBlock *free_blocks;
static char *heap_end;

static char *after(const SlBlock *block) { return (char *)(block + 1) + block->bytes; }

static void join_next(SlBlock *block) {
    SlBlock *next = block->next;
    if (!next || after(block) != (char *)next) return;
    block->bytes += sizeof *next + next->bytes;
    block->next = next->next;
}

static void put_back(SlBlock *block) {
    SlBlock *before = NULL, *next = free_blocks;
    while (next && next < block) { before = next; next = next->next; }
    block->next = next;
    if (before) before->next = block; else free_blocks = block;
    join_next(block);
    if (before) join_next(before);
}

// More pages for at least `bytes`, as one free block. Returns 0 when the browser gives no more.
static int grow(size_t bytes) {
    size_t pages = (bytes + sizeof(SlBlock) + SL_PAGE - 1u) / SL_PAGE;
    size_t before = __builtin_wasm_memory_grow(0, pages);
    if (before == (size_t)-1) return 0;
    SlBlock *block = (SlBlock *)(uintptr_t)(before * SL_PAGE);
    heap_end = (char *)block + pages * SL_PAGE;
    block->bytes = pages * SL_PAGE - sizeof *block;
    put_back(block);
    return 1;
}

// The room between the engine's own data and the end of the first pages.
static void start_heap(void) {
    uintptr_t first = ((uintptr_t)&__heap_base + SL_ALIGN - 1u) & ~(uintptr_t)(SL_ALIGN - 1u);
    heap_end = (char *)(uintptr_t)(__builtin_wasm_memory_size(0) * SL_PAGE);
    if ((uintptr_t)heap_end < first + 2u * sizeof(SlBlock)) return;
    SlBlock *block = (SlBlock *)first;
    block->bytes = (size_t)((uintptr_t)heap_end - first) - sizeof *block;
    put_back(block);
}

// Cut `bytes` off the front of a free block; a rest too small to be a block stays with it.
static SlBlock *take(SlBlock *before, SlBlock *block, size_t bytes) {
    SlBlock *rest = block->next;
    if (block->bytes >= bytes + 2u * sizeof *block) {
        rest = (SlBlock *)((char *)(block + 1) + bytes);
        rest->bytes = block->bytes - bytes - sizeof *rest;
        rest->next = block->next;
        block->bytes = bytes;
    }
    if (before) before->next = rest; else free_blocks = rest;
    return block;
}

static SlBlock *first_fit(size_t bytes) {
    SlBlock *before = NULL;
    for (SlBlock *block = free_blocks; block; before = block, block = block->next)
        if (block->bytes >= bytes) return take(before, block, bytes);
    return NULL;
}

// Zeroed memory, or null.
SL_API void *sl_allocate(size_t bytes) {
    if (bytes > SL_MEMORY_MOST) return NULL;
    if (!heap_end) start_heap();
    bytes = bytes ? (bytes + SL_ALIGN - 1u) & ~(size_t)(SL_ALIGN - 1u) : SL_ALIGN;
    SlBlock *block = first_fit(bytes);
    if (!block && grow(bytes)) block = first_fit(bytes);
    if (!block) return NULL;
    sl_fill(block + 1, 0, bytes);
    return block + 1;
}

SL_API void sl_release(void *memory) {
    if (memory) put_back((SlBlock *)memory - 1);
}

// ---------------------------------------------------------------- for traces

// JavaScript has no 64-bit integers that are fast, so a page asks here for the fingerprint of an array.
SL_API uint64_t sl_hash_memory(uint64_t hash, const void *data, size_t bytes) { return sl_hash_bytes(hash, data, bytes); }
SL_API uint64_t sl_hash_start(void) { return SL_HASH_START; }
