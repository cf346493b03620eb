// tag_recall.c: an agent's own memory of the last body it saw, made from its rays alone. A policy without
// memory of its own that has this block plays as one that remembers; nothing here knows more than the eyes.
#include "tag.h"

#define TAG_RECALL_SLOWING 0.93f        // a believed velocity, from step to step
#define TAG_RECALL_FADING 0.95f         // how fresh a sight is, from step to step
#define TAG_RECALL_FRESH 0.55f          // a sight this fresh and a new one give a velocity
#define TAG_RECALL_SURPRISE 0.4f        // share of a wrong belief that goes into the velocity
#define TAG_RECALL_DEPTH 1.5f           // metres; neighbouring rays this much longer still met the same body

SL_FN int tag_recall_same_body(const TagSight *sight, int ray, int nearest) {
    return ray >= 0 && ray < TAG_RAYS && sight->agent[ray] > 0.0f
        && sight->distance[ray] < sight->distance[nearest] + TAG_RECALL_DEPTH;
}

// Where the nearest body in view is, as far as rays can tell: behind the middle one of those that met it.
SL_FN int tag_recall_find(const TagRules *rules, const TagWorld *w, int me, const TagSight *sight, float *x, float *z) {
    int nearest = -1;
    for (int i = 0; i < TAG_RAYS; i++)
        if (sight->agent[i] > 0.0f && (nearest < 0 || sight->distance[i] < sight->distance[nearest])) nearest = i;
    if (nearest < 0) return 0;
    int first = nearest, last = nearest;
    while (tag_recall_same_body(sight, first - 1, nearest)) first--;
    while (tag_recall_same_body(sight, last + 1, nearest)) last++;
    int middle = (first + last) / 2;
    float far = sight->distance[nearest] + rules->half, fx = w->fx[me], fz = w->fz[me];
    *x = w->x[me] + (fx * rules->ray_cos[middle] + fz * rules->ray_sin[middle]) * far;
    *z = w->z[me] + (fz * rules->ray_cos[middle] - fx * rules->ray_sin[middle]) * far;
    return 1;
}

// What is out of sight is believed to run on, ever slower, and never through the walls.
SL_FN void tag_recall_carry(const TagRules *rules, TagRecall *r) {
    r->x = sl_clamp(r->x + r->vx * rules->step_s, -rules->wall, rules->wall);
    r->z = sl_clamp(r->z + r->vz * rules->step_s, -rules->wall, rules->wall);
    r->vx *= TAG_RECALL_SLOWING;
    r->vz *= TAG_RECALL_SLOWING;
    r->fresh *= TAG_RECALL_FADING;
}

SL_FN void tag_recall_notice(const TagRules *rules, TagRecall *r, float x, float z) {
    float top = rules->max_speed, pull = TAG_RECALL_SURPRISE / rules->step_s;
    int again = r->fresh > TAG_RECALL_FRESH;
    // the belief has already been carried on, so the surprise is what is added to the velocity
    r->vx = again ? sl_clamp(r->vx + pull * (x - r->x), -top, top) : 0.0f;
    r->vz = again ? sl_clamp(r->vz + pull * (z - r->z), -top, top) : 0.0f;
    r->x = x;
    r->z = z;
    r->fresh = 1.0f;
}

SL_FN void tag_remember(const TagRules *rules, TagWorld *w, int me, const TagSight *sight) {
    TagRecall *r = &w->recall[me];
    float x, z;
    if (r->fresh > 0.0f) tag_recall_carry(rules, r);
    if (tag_recall_find(rules, w, me, sight, &x, &z)) tag_recall_notice(rules, r, x, z);
}

// In the frame of the eyes, like the rays and the action.
SL_FN void tag_write_recall(const TagRules *rules, const TagWorld *w, int me, float *out) {
    TagRecalled *o = (TagRecalled *)out;
    const TagRecall *r = &w->recall[me];
    float fx = w->fx[me], fz = w->fz[me], dx = r->x - w->x[me], dz = r->z - w->z[me];
    float far = sl_sqrt(dx * dx + dz * dz), inverse = 1.0f / sl_max(far, 1e-3f);
    int some = r->fresh > 0.0f;
    o->bearing[0] = some ? sl_clamp((dx * fx + dz * fz) * inverse, -1.0f, 1.0f) : 0.0f;
    o->bearing[1] = some ? sl_clamp((dz * fx - dx * fz) * inverse, -1.0f, 1.0f) : 0.0f;
    o->distance = some ? sl_min(far * (0.5f * rules->inv_arena), 1.0f) : 0.0f;
    o->velocity[0] = sl_clamp((r->vx * fx + r->vz * fz) * rules->inv_speed, -1.0f, 1.0f);
    o->velocity[1] = sl_clamp((r->vz * fx - r->vx * fz) * rules->inv_speed, -1.0f, 1.0f);
    o->fresh = r->fresh;
}
