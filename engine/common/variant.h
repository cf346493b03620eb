// variant.h: one source, several instruction sets. A game's unit is compiled once a CPU level, each
// time with another SL_SUFFIX; abi/registry.c picks the best one that this machine runs. The bits are
// the same in all of them, because no level may contract or reorder float arithmetic.
#ifndef SL_VARIANT_H
#define SL_VARIANT_H

#ifndef SL_SUFFIX
#define SL_SUFFIX _base
#endif
#define SL_JOIN_(a, b) a##b
#define SL_JOIN(a, b) SL_JOIN_(a, b)
#define SL_NAME(name) SL_JOIN(name, SL_SUFFIX)

#endif
