// unit.c: tag as one translation unit, compiled once a CPU level (see ../common/variant.h). Everything in
// it is static but the one table at the end.
#include "../common/variant.h"

#include "tag.h"

#include "tag_move.c"
#include "tag_recall.c"
#include "tag_obs.c"
#include "tag.c"
#include "tag_spec.c"
#include "tag_bots.c"

SL_GAME_TABLE(tag) = {
    "tag", "Tag", "Cubes with eyes play tag in a walled arena: seekers touch, hiders run.", TAG_VERSION,
    TAG_PROFILES, SL_COUNT(TAG_PROFILES), TAG_KNOB_TABLE, SL_COUNT(TAG_KNOB_TABLE), TAG_BOTS, SL_COUNT(TAG_BOTS),
    sizeof(TagRules), sizeof(TagWorld),
    tag_configure, tag_shape, tag_describe, tag_reset, tag_observe, tag_step,
    tag_info, tag_render, tag_episode, tag_events,
};
