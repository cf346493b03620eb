// tag_move.c: how a body turns, speeds up and moves. Motion is swept one axis after the other, X, Z, then
// Y, so that for every box one of five comparisons always holds: left of it, right of it, before it,
// behind it, or above it. Nothing is ever pushed out again, because nothing ever gets in.
#include "tag.h"

// The boxes that a body could meet within one step.
typedef struct { int count; int index[TAG_BOXES]; } TagNear;

// One horizontal axis of the world: the same rule serves X and Z.
typedef struct {
    float *at, *speed;                          // along the axis
    const float *cross;                         // place on the other horizontal axis
    const float *lo, *hi, *cross_lo, *cross_hi; // grown boxes
} TagAxis;

SL_FN TagAxis tag_axis_x(TagWorld *w) {
    TagAxis axis = { w->x, w->vx, w->z, w->lo_x, w->hi_x, w->lo_z, w->hi_z };
    return axis;
}

SL_FN TagAxis tag_axis_z(TagWorld *w) {
    TagAxis axis = { w->z, w->vz, w->x, w->lo_z, w->hi_z, w->lo_x, w->hi_x };
    return axis;
}

SL_FN void tag_find_near(const TagRules *rules, const TagWorld *w, int me, TagNear *near_boxes) {
    float x = w->x[me], z = w->z[me], far = rules->travel;
    int count = 0;
    for (int b = 0; b < w->box_count; b++) {
        near_boxes->index[count] = b;
        count += (x > w->lo_x[b] - far) & (x < w->hi_x[b] + far) & (z > w->lo_z[b] - far) & (z < w->hi_z[b] + far);
    }
    near_boxes->count = count;
}

// A rotation leaves a length of 1 give or take an ulp; one Newton step keeps it there for ever.
SL_FN void tag_set_facing(TagWorld *w, int me, float fx, float fz) {
    float k = 1.5f - 0.5f * (fx * fx + fz * fz);
    w->fx[me] = fx * k;
    w->fz[me] = fz * k;
}

// Positive sine turns right, seen from above.
SL_FN void tag_rotate(TagWorld *w, int me, float c, float s) {
    float fx = w->fx[me], fz = w->fz[me];
    tag_set_facing(w, me, fx * c - fz * s, fz * c + fx * s);
}

SL_FN void tag_turn(const TagRules *rules, TagWorld *w, int me, const TagIntent *intent) {
    if (rules->turn_control) {
        tag_rotate(w, me, intent->spin_cos, intent->spin_sin);
        return;
    }
    if (!intent->moving) return;
    float fx = w->fx[me], fz = w->fz[me];
    float dot = fx * intent->to_x + fz * intent->to_z;
    float cross = fx * intent->to_z - fz * intent->to_x;
    if (dot >= rules->turn_cos) {
        w->fx[me] = intent->to_x;
        w->fz[me] = intent->to_z;
    } else {
        tag_rotate(w, me, rules->turn_cos, cross > 0.0f ? rules->turn_sin : -rules->turn_sin);
    }
}

// Where the body would go this tick: the mean of old and new velocity, which is exact for constant
// acceleration.
SL_FN void tag_push(const TagRules *rules, TagWorld *w, int me, const TagIntent *intent, float *dx, float *dz) {
    float vx = w->vx[me], vz = w->vz[me];
    float ex = intent->want_x - vx, ez = intent->want_z - vz;
    float lack = sl_sqrt(ex * ex + ez * ez);
    float most = intent->moving ? rules->accelerate : rules->brake;
    float nx = intent->want_x, nz = intent->want_z;
    if (lack > most) {
        float k = most / lack;
        nx = vx + ex * k;
        nz = vz + ez * k;
    }
    *dx = rules->half_dt * (vx + nx);
    *dz = rules->half_dt * (vz + nz);
    w->vx[me] = nx;
    w->vz[me] = nz;
}

// The way back is the way forth in a mirror: negate, sweep forward, negate.
SL_FN void tag_slide(const TagRules *rules, TagWorld *w, const TagNear *near_boxes, int me, TagAxis axis, float delta) {
    if (delta == 0.0f) return;
    int back = delta < 0.0f;
    float at = axis.at[me], cross = axis.cross[me], y = w->y[me];
    float from = back ? 0.0f - at : at;
    float goal = from + (back ? 0.0f - delta : delta);
    float end = sl_min(goal, rules->wall);
    for (int n = 0; n < near_boxes->count; n++) {
        int b = near_boxes->index[n];
        float face = back ? 0.0f - axis.hi[b] : axis.lo[b];
        if (cross > axis.cross_lo[b] && cross < axis.cross_hi[b] && y < w->top[b] && from <= face)
            end = sl_min(end, sl_max(face - TAG_HALF_SKIN, from));
    }
    for (int j = 0; j < rules->agents; j++) {
        if (j == me || !w->in_play[j]) continue;
        float other = back ? 0.0f - axis.at[j] : axis.at[j];
        if (other > from && sl_abs(cross - axis.cross[j]) < rules->beside && sl_abs(y - w->y[j]) < rules->over)
            end = sl_min(end, sl_max(other - rules->apart, from));
    }
    if (end < goal) axis.speed[me] = 0.0f;
    axis.at[me] = back ? 0.0f - end : end;
}

SL_FN int tag_stacked(const TagRules *rules, const TagWorld *w, int me, int other) {
    return other != me && w->in_play[other]
        && sl_abs(w->x[me] - w->x[other]) < rules->beside && sl_abs(w->z[me] - w->z[other]) < rules->beside;
}

// The highest thing under the body: the floor, a box, or somebody's head.
SL_FN float tag_ground(const TagRules *rules, const TagWorld *w, const TagNear *near_boxes, int me) {
    float x = w->x[me], y = w->y[me], z = w->z[me], ground = 0.0f;
    for (int n = 0; n < near_boxes->count; n++) {
        int b = near_boxes->index[n];
        if (x > w->lo_x[b] && x < w->hi_x[b] && z > w->lo_z[b] && z < w->hi_z[b]) ground = sl_max(ground, w->top[b]);
    }
    for (int j = 0; j < rules->agents; j++)
        if (tag_stacked(rules, w, me, j) && y - w->y[j] >= rules->half) ground = sl_max(ground, w->y[j] + rules->edge);
    return ground;
}

SL_FN void tag_sink(const TagRules *rules, TagWorld *w, const TagNear *near_boxes, int me, float dy) {
    float goal = w->y[me] + dy, ground = tag_ground(rules, w, near_boxes, me);
    int landed = goal <= ground;
    if (landed) {
        if (!w->on_floor[me]) tag_event(w, TAG_EVENT_LAND, (float)me, -w->vy[me], 0.0f);
        w->vy[me] = 0.0f;
    }
    w->y[me] = landed ? ground : goal;
    w->on_floor[me] = (uint8_t)landed;
}

// There is no ceiling but the feet of somebody above.
SL_FN void tag_rise(const TagRules *rules, TagWorld *w, int me, float dy) {
    float y = w->y[me], goal = y + dy, end = goal;
    for (int j = 0; j < rules->agents; j++)
        if (tag_stacked(rules, w, me, j) && w->y[j] - y >= rules->half)
            end = sl_min(end, sl_max(w->y[j] - rules->edge, y));
    if (end < goal) w->vy[me] = 0.0f;
    w->y[me] = end;
    w->on_floor[me] = 0;
}

SL_FN void tag_leap(const TagRules *rules, TagWorld *w, int me) {
    if (w->coyote[me] <= 0) return;
    w->vy[me] = rules->jump_speed;
    w->coyote[me] = 0;
    w->jumps++;
    tag_event(w, TAG_EVENT_JUMP, (float)me, 0.0f, 0.0f);
}

SL_FN void tag_fall(const TagRules *rules, TagWorld *w, const TagNear *near_boxes, int me) {
    float vy = w->vy[me], ny = vy - rules->fall;
    float dy = rules->half_dt * (vy + ny);
    w->vy[me] = ny;
    if (dy > 0.0f) tag_rise(rules, w, me, dy);
    else tag_sink(rules, w, near_boxes, me, dy);
    w->coyote[me] = w->on_floor[me] ? rules->coyote_ticks + 1 : sl_imax(w->coyote[me] - 1, 0);
}

// One agent, one tick.
SL_FN void tag_move(const TagRules *rules, TagWorld *w, const TagNear *near_boxes, int me, const TagIntent *intent) {
    float dx, dz;
    tag_turn(rules, w, me, intent);
    tag_push(rules, w, me, intent, &dx, &dz);
    if (intent->leap) tag_leap(rules, w, me);
    tag_slide(rules, w, near_boxes, me, tag_axis_x(w), dx);
    tag_slide(rules, w, near_boxes, me, tag_axis_z(w), dz);
    tag_fall(rules, w, near_boxes, me);
}
