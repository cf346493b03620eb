// memory.h: where a batch's memory comes from. Zeroed, asked for at create, given back at destroy.
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
static void *sl_allocate(size_t bytes) { return calloc(1, bytes ? bytes : 1); }
static void sl_release(void *memory) { free(memory); }
#endif

#endif
