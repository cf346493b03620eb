// unit.c: prospector as one translation unit, compiled once a CPU level (see ../common/variant.h).
// Everything in it is static but the one table at the end.
#include "../common/variant.h"

#include "prospector.h"

#include "market.c"
#include "generate.c"
#include "passive.c"
#include "actions.c"
#include "reasons.c"
#include "prospector_obs.c"
#include "prospector.c"
#include "prospector_spec.c"
#include "prospector_bots.c"

#define PR_VERSION "3"

SL_GAME_TABLE(prospector) = {
    "prospector", "Asteroid Belt Prospector",
    "One ship in a belt that is new each time: scan, mine, stay cool, dodge pirates, sell well.", PR_VERSION,
    PR_PROFILES, SL_COUNT(PR_PROFILES), PR_KNOB_TABLE, SL_COUNT(PR_KNOB_TABLE), PR_BOTS, SL_COUNT(PR_BOTS),
    sizeof(ProspectorRules), sizeof(ProspectorWorld),
    prospector_configure, prospector_shape, prospector_describe, pr_game_reset, pr_game_observe, pr_game_step,
    prospector_info, prospector_render, prospector_episode, prospector_events,
};
