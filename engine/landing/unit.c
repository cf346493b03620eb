// unit.c: landing as one translation unit, compiled once a CPU level (see ../common/variant.h). Everything in it is
// static but the one table at the end.
#include "../common/variant.h"

#include "landing.h"

#include "landing_move.c"
#include "landing.c"
#include "landing_spec.c"
#include "landing_bots.c"

SL_GAME_TABLE(landing) = {
    "landing", "Landing", "One craft with little fuel comes down to a pad among hills, softly.", LANDING_VERSION,
    LANDING_PROFILES, SL_COUNT(LANDING_PROFILES), LANDING_KNOB_TABLE, SL_COUNT(LANDING_KNOB_TABLE),
    LANDING_BOTS, SL_COUNT(LANDING_BOTS), sizeof(LandingRules), sizeof(LandingWorld),
    landing_configure, landing_shape, landing_describe, landing_reset, landing_observe, landing_step,
    landing_info, landing_render, landing_episode, landing_events,
};
