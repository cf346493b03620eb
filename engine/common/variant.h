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

// The one thing of a unit that others see: SL_GAME_TABLE(tag) = { … }; at its end. Compiled at run time for a GPU
// nobody sees it, and with it all that only describes goes.
#if defined(__CUDACC_RTC__)
#define SL_GAME_TABLE(game) static const SlGame SL_NAME(sl_game_##game)
#elif defined(__cplusplus)
#define SL_GAME_TABLE(game) extern "C" const SlGame SL_NAME(sl_game_##game); const SlGame SL_NAME(sl_game_##game)
#else
#define SL_GAME_TABLE(game) extern const SlGame SL_NAME(sl_game_##game); const SlGame SL_NAME(sl_game_##game)
#endif

#endif
