// processor.h: which of the x86-64 levels (v3: AVX2, v4: AVX-512) this processor and its system run. Asked of the
// processor itself: the compilers' own word for it, __builtin_cpu_supports, needs a library that zig does not bring.
#ifndef SL_PROCESSOR_H
#define SL_PROCESSOR_H

#include "../common/base.h"

typedef enum { SL_LEVEL_BASE, SL_LEVEL_V3, SL_LEVEL_V4, SL_LEVELS } SlLevel;

#if defined(SL_LEVELS_BUILT)

#include <cpuid.h>

#define SL_BIT(n) (1u << (n))
#define SL_HAS(word, bits) (((word) & (bits)) == (bits))

// Names of the bits as in Intel's manual, volume 2, CPUID.
#define SL_1_ECX_V3 (SL_BIT(12) | SL_BIT(22) | SL_BIT(27) | SL_BIT(28) | SL_BIT(29))     // FMA MOVBE OSXSAVE AVX F16C
#define SL_7_EBX_V3 (SL_BIT(3) | SL_BIT(5) | SL_BIT(8))                                  // BMI1 AVX2 BMI2
#define SL_7_EBX_V4 (SL_BIT(16) | SL_BIT(17) | SL_BIT(28) | SL_BIT(30) | SL_BIT(31))     // AVX-512 F DQ CD BW VL
#define SL_EXTENDED_ECX_V3 SL_BIT(5)                                                     // LZCNT
#define SL_STATE_V3 0x06u       // the system keeps XMM and YMM registers
#define SL_STATE_V4 0xe6u       // and the mask and ZMM registers

// Only where OSXSAVE is set.
SL_HOST_FN uint32_t sl_kept_registers(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

SL_HOST_FN SlLevel sl_ask_processor(void) {
    unsigned a, b, c, d, leaf_7, extended;
    if (!__get_cpuid_count(7, 0, &a, &leaf_7, &c, &d) || !__get_cpuid(0x80000001u, &a, &b, &extended, &d)) return SL_LEVEL_BASE;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !SL_HAS(c, SL_1_ECX_V3)) return SL_LEVEL_BASE;
    uint32_t kept = sl_kept_registers();
    if (!SL_HAS(leaf_7, SL_7_EBX_V3) || !SL_HAS(extended, SL_EXTENDED_ECX_V3) || !SL_HAS(kept, SL_STATE_V3)) return SL_LEVEL_BASE;
    return SL_HAS(leaf_7, SL_7_EBX_V4) && SL_HAS(kept, SL_STATE_V4) ? SL_LEVEL_V4 : SL_LEVEL_V3;
}

// The best level that this machine runs. Remembered: in a virtual machine the question costs tens of microseconds.
SL_HOST_FN SlLevel sl_level_of_machine(void) {
    static int known = -1;
    int level = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (level < 0) __atomic_store_n(&known, level = (int)sl_ask_processor(), __ATOMIC_RELAXED);
    return (SlLevel)level;
}

#else

SL_HOST_FN SlLevel sl_level_of_machine(void) { return SL_LEVEL_BASE; }

#endif
#endif
