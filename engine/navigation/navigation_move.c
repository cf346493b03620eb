// navigation_move.c: how a body moves: commands, turning, walking, walls, falling, and the mock head and hands.
#include "navigation.h"

// ---------------------------------------------------------------- commands

typedef struct { float strafe, ahead, rotate; } NavigationIntent;

SL_FN float navigation_command(const NavigationRules *r, float v) {
    float beyond = sl_max(sl_abs(v) - r->dead_zone, 0.0f) * r->stretch;
    return v < 0.0f ? -beyond : beyond;
}

SL_FN NavigationIntent navigation_decide(const NavigationRules *r, const float *action) {
    NavigationIntent n;
    n.strafe = navigation_command(r, action[0]);
    n.ahead = navigation_command(r, action[1]);
    n.rotate = navigation_command(r, action[2]);
    float s = n.strafe * n.strafe + n.ahead * n.ahead;
    if (s > 1.0f) {
        float l = sl_sqrt(s);
        n.strafe = n.strafe / l;
        n.ahead = n.ahead / l;
    }
    return n;
}

SL_FN void navigation_smooth(const NavigationRules *r, NavigationWorld *w, const NavigationIntent *n) {
    w->strafe = w->strafe + (n->strafe - w->strafe) * r->blend;
    w->ahead = w->ahead + (n->ahead - w->ahead) * r->blend;
    if (!r->snaps) w->rotate = w->rotate + (n->rotate - w->rotate) * r->blend;
}

// ---------------------------------------------------------------- walls

// One axis: a wall beside one's own cell keeps the body a radius away. 1 when it did.
SL_FN int navigation_beside(float *v, float low, float radius, int below, int above) {
    if (below && *v - low < radius) { *v = low + radius; return 1; }
    float high = low + NAVIGATION_CELL;
    if (above && high - *v < radius) { *v = high - radius; return 1; }
    return 0;
}

// The corner of a cell that lies diagonally: out along the line from it.
SL_FN int navigation_corner(NavigationPose *p, float x, float z, float radius) {
    float dx = p->x - x, dz = p->z - z, s = dx * dx + dz * dz;
    if (s >= radius * radius) return 0;
    float l = sl_max(sl_sqrt(s), 1e-6f), k = radius / l;
    p->x = x + dx * k;
    p->z = z + dz * k;
    return 1;
}

// The capsule against the cells around its own. A step of a tick is shorter than a radius, so no cell is jumped over.
SL_FN int navigation_collide(const NavigationRules *r, const NavigationWorld *w, NavigationPose *p) {
    int i = navigation_cell(r, p->x), j = navigation_cell(r, p->z), last = r->cells - 1;
    float low_x = (float)i * NAVIGATION_CELL - r->half, low_z = (float)j * NAVIGATION_CELL - r->half;
    int left = i > 0 ? i - 1 : i, right = i < last ? i + 1 : i, up = j > 0 ? j - 1 : j, down = j < last ? j + 1 : j;
    int touched = navigation_beside(&p->x, low_x, r->radius, navigation_bit(w->walls, left, j), navigation_bit(w->walls, right, j));
    touched |= navigation_beside(&p->z, low_z, r->radius, navigation_bit(w->walls, i, up), navigation_bit(w->walls, i, down));
    float high_x = low_x + NAVIGATION_CELL, high_z = low_z + NAVIGATION_CELL;
    if (navigation_bit(w->walls, left, up)) touched |= navigation_corner(p, low_x, low_z, r->radius);
    if (navigation_bit(w->walls, right, up)) touched |= navigation_corner(p, high_x, low_z, r->radius);
    if (navigation_bit(w->walls, left, down)) touched |= navigation_corner(p, low_x, high_z, r->radius);
    if (navigation_bit(w->walls, right, down)) touched |= navigation_corner(p, high_x, high_z, r->radius);
    return touched;
}

SL_FN int navigation_over_pit(const NavigationRules *r, const NavigationWorld *w) {
    return navigation_bit(w->holes, navigation_cell(r, w->pose.x), navigation_cell(r, w->pose.z));
}

// ---------------------------------------------------------------- a tick of walking

// Turning to the right makes the yaw smaller; a head leans into a turn as far as balance asks for.
SL_FN void navigation_turn(const NavigationRules *r, NavigationWorld *w) {
    float turns = w->pose.yaw - w->rotate * r->turn_dt;
    w->pose.yaw = turns - sl_round(turns);
    w->yaw_rate = -(w->rotate * r->turn);
    float lean = (w->yaw_rate * (w->ahead * r->speed)) / NAVIGATION_GRAVITY;
    w->pose.roll = w->pose.roll + (lean - w->pose.roll) * r->lean_blend;
    w->roll_rate = (w->pose.roll - w->before.roll) * r->inv_dt;
}

// A snap turn: the picture is another one at once, so that nothing is seen to turn or to swing.
SL_FN void navigation_snap(const NavigationRules *r, NavigationWorld *w, float command) {
    w->snap_wait = sl_imax(w->snap_wait - 1, 0);
    if (!r->snaps || w->snap_wait > 0 || sl_abs(command) <= r->snap_threshold) return;
    float turns = command > 0.0f ? w->pose.yaw - r->snap : w->pose.yaw + r->snap;
    w->pose.yaw = turns - sl_round(turns);
    w->before.yaw = w->pose.yaw;
    w->snap_wait = r->snap_ticks;
    w->snap_turns++;
}

SL_FN int navigation_walk(const NavigationRules *r, NavigationWorld *w) {
    float s = sl_sin_turns(w->pose.yaw), c = sl_cos_turns(w->pose.yaw), reach = r->speed * r->dt;
    float dx = (w->strafe * c - w->ahead * s) * reach, dz = (-(w->strafe * s) - w->ahead * c) * reach;
    w->pose.x = w->pose.x + dx;
    w->pose.z = w->pose.z + dz;
    w->pose.walked = w->pose.walked + sl_sqrt(dx * dx + dz * dz);
    return navigation_collide(r, w, &w->pose);
}

// Below the floor there is nothing but down.
SL_FN void navigation_drop(const NavigationRules *r, NavigationWorld *w) {
    w->fall_speed = w->fall_speed - r->fall;
    w->pose.y = w->pose.y + w->fall_speed * r->dt;
}

// ---------------------------------------------------------------- mock hands

typedef struct { float left[3], right[3]; } NavigationHands;

// Before the body, on both sides, swinging against one another with the way walked.
SL_FN NavigationHands navigation_hands(const NavigationRules *r, const NavigationPose *p) {
    float s = sl_sin_turns(p->yaw), c = sl_cos_turns(p->yaw);
    float swing = NAVIGATION_SWING * sl_sin_turns(p->walked / NAVIGATION_STRIDE);
    float far_left = NAVIGATION_HAND_AHEAD + swing, far_right = NAVIGATION_HAND_AHEAD - swing;
    float y = (p->y + r->head_height) - NAVIGATION_HAND_DOWN, side = NAVIGATION_HAND_SIDE;
    NavigationHands h = { { p->x - side * c - far_left * s, y, p->z + side * s - far_left * c },
                          { p->x + side * c - far_right * s, y, p->z - side * s - far_right * c } };
    return h;
}
