// unit.c: navigation as one translation unit, compiled once a CPU level (see ../common/variant.h). Everything in it is
// static but the one table at the end.
#include "../common/variant.h"

#include "navigation.h"

#include "navigation_layout.c"
#include "navigation_move.c"
#include "navigation.c"
#include "navigation_spec.c"
#include "navigation_bots.c"

SL_GAME_TABLE(navigation) = {
    "navigation", "Navigation", "A walker with a headset finds its way to a goal, past obstacles or through a maze, in comfort.",
    NAVIGATION_VERSION, NAVIGATION_PROFILES, SL_COUNT(NAVIGATION_PROFILES), NAVIGATION_KNOB_TABLE, SL_COUNT(NAVIGATION_KNOB_TABLE),
    NAVIGATION_BOTS, SL_COUNT(NAVIGATION_BOTS), sizeof(NavigationRules), sizeof(NavigationWorld),
    navigation_configure, navigation_shape, navigation_describe, navigation_reset, navigation_observe, navigation_step,
    navigation_info, navigation_render, navigation_episode, navigation_events,
};
