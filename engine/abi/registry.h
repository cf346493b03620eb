// registry.h: which games there are, and which build of each this machine should run.
#ifndef SL_REGISTRY_H
#define SL_REGISTRY_H

#include "../common/game.h"
#include "../common/variant.h"

// One row a game: add a game here and in CMakeLists.txt, nowhere else.
#define SL_GAMES(G) G(tag) G(prospector)

#define SL_DECLARE(game)            \
    extern const SlGame sl_game_##game##_base;  \
    extern const SlGame sl_game_##game##_v3;    \
    extern const SlGame sl_game_##game##_v4;
SL_GAMES(SL_DECLARE)

typedef enum { SL_LEVEL_BASE, SL_LEVEL_V3, SL_LEVEL_V4, SL_LEVELS } SlLevel;

#if defined(SL_LEVELS_BUILT)   // x86-64 builds carry all three
#define SL_ROW(game) { &sl_game_##game##_base, &sl_game_##game##_v3, &sl_game_##game##_v4 },
#else
#define SL_ROW(game) { &sl_game_##game##_base, &sl_game_##game##_base, &sl_game_##game##_base },
#endif
static const SlGame *const SL_REGISTRY[][SL_LEVELS] = { SL_GAMES(SL_ROW) };

#define SL_GAME_COUNT ((int)(sizeof SL_REGISTRY / sizeof SL_REGISTRY[0]))

// The best level that this processor runs.
SL_HOST_FN SlLevel sl_level_of_machine(void) {
#if defined(SL_LEVELS_BUILT)
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return v4 ? SL_LEVEL_V4 : (v3 ? SL_LEVEL_V3 : SL_LEVEL_BASE);
#else
    return SL_LEVEL_BASE;
#endif
}

#endif
