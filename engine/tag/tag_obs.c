// tag_obs.c: what agents see. All rays of one agent are traced together, lane by lane: for each thing in
// view one straight loop over the lanes, which compilers turn into vector code. Nothing here changes a
// world.
#include "tag.h"

// Where the rays of one agent go, and how far until they meet a wall or a body.
typedef struct {
    float inv_dx[TAG_RAY_LANES], inv_dz[TAG_RAY_LANES];
    float wall[TAG_RAY_LANES], agent[TAG_RAY_LANES];    // metres
} TagRays;

// A box on the floor plan, seen from the eye.
typedef struct { float min_x, max_x, min_z, max_z; } TagPlan;

// A direction of exactly zero would make 0 * infinity in a slab.
SL_FN float tag_not_zero(float d) { return sl_abs(d) < 1e-6f ? 1e-6f : d; }

// Two loops, because a compiler that sees the choice and the division together makes a branch of them.
SL_FN void tag_aim_rays(const TagRules *rules, float fx, float fz, TagRays *rays) {
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        rays->inv_dx[i] = tag_not_zero(fx * rules->ray_cos[i] + fz * rules->ray_sin[i]);
        rays->inv_dz[i] = tag_not_zero(fz * rules->ray_cos[i] - fx * rules->ray_sin[i]);
    }
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        rays->inv_dx[i] = 1.0f / rays->inv_dx[i];
        rays->inv_dz[i] = 1.0f / rays->inv_dz[i];
    }
}

// The eye is inside the four walls, so the nearer of the two faces ahead ends the ray.
SL_FN void tag_trace_walls(const TagPlan *walls, TagRays *rays) {
    TagPlan plan = *walls;
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        float ix = rays->inv_dx[i], iz = rays->inv_dz[i];
        float tx = sl_max(plan.max_x * ix, plan.min_x * ix);
        float tz = sl_max(plan.max_z * iz, plan.min_z * iz);
        rays->wall[i] = sl_min(tx, tz);
        rays->agent[i] = TAG_FAR;
    }
}

// Lowers `nearest` where a ray enters the box. The slab test without branches.
SL_FN void tag_trace_box(const TagPlan *box, const TagRays *rays, float *SL_RESTRICT nearest) {
    TagPlan plan = *box;
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        float ix = rays->inv_dx[i], iz = rays->inv_dz[i];
        float a = plan.min_x * ix, b = plan.max_x * ix, c = plan.min_z * iz, d = plan.max_z * iz;
        float enter = sl_max(sl_min(a, b), sl_min(c, d));
        float leave = sl_min(sl_max(a, b), sl_max(c, d));
        float met = ((enter <= leave) & (enter > 0.0f)) ? enter : TAG_FAR;
        nearest[i] = sl_min(nearest[i], met);
    }
}

// 1 when the box lies wholly behind one edge of the view, by at least a millimetre so that rounding in
// a slab can never disagree. A view of at most 180 degrees is the overlap of two half planes.
SL_FN int tag_outside_view(const TagRules *rules, float fx, float fz, const TagPlan *box) {
    float c = rules->ray_cos[0], s = -rules->ray_sin[0];            // edges at plus and minus this angle
    float mx = box->min_x + box->max_x, mz = box->min_z + box->max_z;
    float wx = box->max_x - box->min_x, wz = box->max_z - box->min_z;
    float rx = fx * s - fz * c, rz = fz * s + fx * c;               // inward normal of the left edge
    float lx = fx * s + fz * c, lz = fz * s - fx * c;               // of the right edge
    float right = (mx * rx + mz * rz) + (wx * sl_abs(rx) + wz * sl_abs(rz));
    float left = (mx * lx + mz * lz) + (wx * sl_abs(lx) + wz * sl_abs(lz));
    return (right < -0.002f) | (left < -0.002f);
}

SL_FN void tag_trace_boxes(const TagRules *rules, const TagWorld *w, int me, TagRays *rays) {
    float x = w->x[me], z = w->z[me], eye = w->y[me] + rules->half;
    for (int b = 0; b < w->box_count; b++) {
        TagPlan plan = { w->min_x[b] - x, w->max_x[b] - x, w->min_z[b] - z, w->max_z[b] - z };
        if (w->top[b] > eye && !tag_outside_view(rules, w->fx[me], w->fz[me], &plan))
            tag_trace_box(&plan, rays, rays->wall);
    }
}

SL_FN TagPlan tag_body_plan(const TagRules *rules, const TagWorld *w, int me, int other) {
    float x = w->x[me], z = w->z[me], half = rules->half;
    TagPlan plan = { (w->x[other] - half) - x, (w->x[other] + half) - x,
                     (w->z[other] - half) - z, (w->z[other] + half) - z };
    return plan;
}

SL_FN int tag_at_eye_height(const TagRules *rules, const TagWorld *w, int me, int other) {
    float eye = w->y[me] + rules->half;
    return other != me && w->in_play[other] && w->y[other] < eye && w->y[other] + rules->edge > eye;
}

SL_FN int tag_in_front(const TagRules *rules, const TagWorld *w, int me, int other, TagPlan *plan) {
    if (!tag_at_eye_height(rules, w, me, other)) return 0;
    *plan = tag_body_plan(rules, w, me, other);
    return !tag_outside_view(rules, w->fx[me], w->fz[me], plan);
}

// Turns distances into what was seen. Nothing beyond the range exists.
SL_FN void tag_judge_rays(const TagRules *rules, const TagRays *rays, TagSight *sight) {
    float range = rules->vision_range;
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        float wall = rays->wall[i], agent = rays->agent[i];
        float nearest = sl_min(agent, wall);
        int some = nearest < range, body = agent < wall;
        sight->distance[i] = some ? nearest : range;
        sight->none[i] = some ? 0.0f : 1.0f;
        sight->wall[i] = (some & !body) ? 1.0f : 0.0f;
        sight->agent[i] = (some & body) ? 1.0f : 0.0f;
    }
}

SL_FN int tag_any_agent(const TagSight *sight) {
    int some = 0;
    for (int i = 0; i < TAG_RAYS; i++) some |= sight->agent[i] > 0.0f;
    return some;
}

// 1 when the body of this plan is itself what some ray met, not another one before it.
SL_FN int tag_saw(const TagRays *rays, const TagSight *sight, const TagPlan *plan) {
    float own[TAG_RAY_LANES];
    int seen = 0;
    for (int i = 0; i < TAG_RAY_LANES; i++) own[i] = TAG_FAR;
    tag_trace_box(plan, rays, own);
    for (int i = 0; i < TAG_RAYS; i++) seen |= (sight->agent[i] > 0.0f) & (own[i] <= rays->agent[i]);
    return seen;
}

SL_FN void tag_trace(const TagRules *rules, const TagWorld *w, int me, TagRays *rays, TagSight *sight) {
    float half = rules->arena_half, x = w->x[me], z = w->z[me];
    TagPlan walls = { -half - x, half - x, -half - z, half - z }, bodies[TAG_AGENTS];
    int front[TAG_AGENTS], count = 0;
    tag_aim_rays(rules, w->fx[me], w->fz[me], rays);
    tag_trace_walls(&walls, rays);
    tag_trace_boxes(rules, w, me, rays);
    for (int j = 0; j < rules->agents; j++) {
        if (!tag_in_front(rules, w, me, j, &bodies[count])) continue;
        tag_trace_box(&bodies[count], rays, rays->agent);
        front[count++] = j;
    }
    tag_judge_rays(rules, rays, sight);
    for (int n = 0; n < count; n++)
        if (count == 1 ? tag_any_agent(sight) : tag_saw(rays, sight, &bodies[n])) sight->seen |= (uint8_t)(1u << front[n]);
}

SL_FN void tag_see_nothing(const TagRules *rules, TagSight *sight) {
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        sight->distance[i] = rules->vision_range;
        sight->none[i] = 1.0f;
        sight->wall[i] = 0.0f;
        sight->agent[i] = 0.0f;
    }
}

SL_FN void tag_look(const TagRules *rules, const TagWorld *w, int me, TagSight *sight) {
    TagRays rays;
    sight->seen = 0;
    if (w->in_play[me]) tag_trace(rules, w, me, &rays, sight);
    else tag_see_nothing(rules, sight);
}

SL_FN float tag_distance(const TagWorld *w, int a, int b) {
    float dx = w->x[a] - w->x[b], dy = w->y[a] - w->y[b], dz = w->z[a] - w->z[b];
    return sl_sqrt(dx * dx + dy * dy + dz * dz);
}

// The nearest agent in play of the other role under a given roster, and its distance; -1 and 0 if none.
SL_FN int tag_nearest_opponent(const TagRules *rules, const TagWorld *w, const uint8_t *seeker, const uint8_t *in_play,
                            int me, float *distance) {
    int nearest = -1;
    *distance = 0.0f;
    for (int j = 0; j < rules->agents; j++) {
        if (!in_play[j] || seeker[j] == seeker[me]) continue;
        float d = tag_distance(w, me, j);
        if (nearest >= 0 && d >= *distance) continue;
        nearest = j;
        *distance = d;
    }
    return nearest;
}

SL_FN float tag_unit_range(float v) { return sl_clamp(v, -1.0f, 1.0f); }

SL_FN float tag_time_left(const TagRules *rules, const TagWorld *w) {
    return (float)(rules->limit - w->tick) * rules->inv_limit;
}

SL_FN void tag_write_rays(const TagRules *rules, const TagWorld *w, int me, const TagSight *sight, float *out) {
    TagObservation *o = (TagObservation *)out;
    o->place[0] = tag_unit_range(w->x[me] * rules->inv_arena);
    o->place[1] = tag_unit_range(w->y[me] * 0.25f);
    o->place[2] = tag_unit_range(w->z[me] * rules->inv_arena);
    o->velocity[0] = tag_unit_range(w->vx[me] * rules->inv_speed);
    o->velocity[1] = tag_unit_range(w->vy[me] * 0.1f);
    o->velocity[2] = tag_unit_range(w->vz[me] * rules->inv_speed);
    o->on_floor = (float)w->on_floor[me];
    o->facing[0] = tag_unit_range(w->fx[me]);
    o->facing[1] = tag_unit_range(w->fz[me]);
    o->time_left = tag_time_left(rules, w);
    o->seeker = (float)w->seeker[me];
    o->immunity = (float)w->immunity[me] * rules->inv_immune;
    for (int i = 0; i < TAG_RAYS; i++) {
        o->rays[i][0] = sight->distance[i] * rules->inv_range;
        o->rays[i][1] = sight->none[i];
        o->rays[i][2] = sight->wall[i];
        o->rays[i][3] = sight->agent[i];
    }
}

SL_FN void tag_write_reference(const TagRules *rules, const TagWorld *w, int me, int opponent, const TagSight *sight,
                               float *out) {
    TagReference *o = (TagReference *)out;
    int r = opponent < 0 ? me : opponent;             // nobody left: as if the opponent were here
    o->place[0] = w->x[me] / 15.0f;
    o->place[1] = w->z[me] / 15.0f;
    o->velocity[0] = w->vx[me] / 10.0f;
    o->velocity[1] = w->vz[me] / 10.0f;
    o->opponent_place[0] = (w->x[r] - w->x[me]) / 15.0f;
    o->opponent_place[1] = (w->z[r] - w->z[me]) / 15.0f;
    o->opponent_velocity[0] = (w->vx[r] - w->vx[me]) / 10.0f;
    o->opponent_velocity[1] = (w->vz[r] - w->vz[me]) / 10.0f;
    o->seeker = (float)w->seeker[me];
    o->opponent_seeker = opponent < 0 ? 0.0f : (float)w->seeker[r];
    o->facing[0] = w->fx[me];
    o->facing[1] = w->fz[me];
    for (int i = 0; i < TAG_RAYS; i++) {
        o->rays[i][0] = sight->distance[i] * rules->inv_range;
        o->rays[i][1] = sight->agent[i];
    }
}

SL_FN void tag_write_privileged(const TagRules *rules, const TagWorld *w, int me, int opponent, float *out) {
    TagPrivileged *o = (TagPrivileged *)out;
    int r = opponent < 0 ? me : opponent;
    o->opponent_place[0] = tag_unit_range((w->x[r] - w->x[me]) * (0.5f * rules->inv_arena));
    o->opponent_place[1] = tag_unit_range((w->z[r] - w->z[me]) * (0.5f * rules->inv_arena));
    o->opponent_velocity[0] = tag_unit_range((w->vx[r] - w->vx[me]) * (0.5f * rules->inv_speed));
    o->opponent_velocity[1] = tag_unit_range((w->vz[r] - w->vz[me]) * (0.5f * rules->inv_speed));
}

SL_FN int tag_layout_size(const TagRules *rules) {
    return (int)((rules->layout == TAG_LAYOUT_RAYS ? sizeof(TagObservation) : sizeof(TagReference)) / sizeof(float));
}

SL_FN int tag_recall_size(const TagRules *rules) { return rules->recall ? (int)(sizeof(TagRecalled) / sizeof(float)) : 0; }

SL_FN int tag_observation_size(const TagRules *rules) {
    int privileged = rules->privileged ? (int)(sizeof(TagPrivileged) / sizeof(float)) : 0;
    return tag_layout_size(rules) + tag_recall_size(rules) + privileged;
}

SL_FN void tag_write_observation(const TagRules *rules, const TagWorld *w, int me, const TagSight *sight, float *out) {
    float distance;
    int opponent = -1;
    if (rules->privileged || rules->layout == TAG_LAYOUT_REFERENCE)
        opponent = tag_nearest_opponent(rules, w, w->seeker, w->in_play, me, &distance);
    if (rules->layout == TAG_LAYOUT_RAYS) tag_write_rays(rules, w, me, sight, out);
    else tag_write_reference(rules, w, me, opponent, sight, out);
    out += tag_layout_size(rules);
    if (rules->recall) tag_write_recall(rules, w, me, out);
    if (rules->privileged) tag_write_privileged(rules, w, me, opponent, out + tag_recall_size(rules));
}

SL_FN void tag_observe(const void *rules_, const void *world, const SlView *view) {
    const TagRules *rules = (const TagRules *)rules_;
    const TagWorld *w = (const TagWorld *)world;
    int size = tag_observation_size(rules);
    for (int me = 0; me < rules->agents; me++) {
        TagSight sight;
        tag_look(rules, w, me, &sight);
        tag_write_observation(rules, w, me, &sight, view->observations + (size_t)me * (size_t)size);
    }
}
