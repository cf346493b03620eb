// registry.h: which games there are, and which build of each this machine should run.
#ifndef SL_REGISTRY_H
#define SL_REGISTRY_H

#include "../common/game.h"
#include "../common/variant.h"
#include "processor.h"

// One row a game: add a game here and in CMakeLists.txt, nowhere else.
#define SL_GAMES(G) G(tag) G(prospector) G(landing) G(navigation)

#define SL_DECLARE(game)            \
    extern const SlGame sl_game_##game##_base;  \
    extern const SlGame sl_game_##game##_v3;    \
    extern const SlGame sl_game_##game##_v4;
SL_GAMES(SL_DECLARE)

#if defined(SL_LEVELS_BUILT)   // x86-64 builds carry all three
#define SL_ROW(game) { &sl_game_##game##_base, &sl_game_##game##_v3, &sl_game_##game##_v4 },
#else
#define SL_ROW(game) { &sl_game_##game##_base, &sl_game_##game##_base, &sl_game_##game##_base },
#endif
static const SlGame *const SL_REGISTRY[][SL_LEVELS] = { SL_GAMES(SL_ROW) };

#define SL_GAME_COUNT ((int)(sizeof SL_REGISTRY / sizeof SL_REGISTRY[0]))

#endif
