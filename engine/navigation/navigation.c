// navigation.c: the rules of navigation: how an episode begins, what a tick and a step are, how it ends, what is paid,
// how comfortable it was, and what the walker sees. The grid is in navigation_layout.c, motion in navigation_move.c.
#include "navigation.h"

// ---------------------------------------------------------------- an episode begins

SL_FN float navigation_distance(const NavigationWorld *w) {
    float dx = w->goal_x - w->pose.x, dz = w->goal_z - w->pose.z;
    return sl_sqrt(dx * dx + dz * dz);
}

SL_FN void navigation_reset(const void *rules, void *world, uint64_t seed) {
    const NavigationRules *r = (const NavigationRules *)rules;
    NavigationWorld *w = (NavigationWorld *)world;
    sl_fill(w, 0, sizeof *w);
    sl_rng_seed(&w->rng, seed);
    navigation_build(r, w);
    float angle = sl_uniform(&w->rng), far = NAVIGATION_SPAWN * sl_uniform(&w->rng);
    w->pose.x = far * sl_cos_turns(angle);
    w->pose.z = far * sl_sin_turns(angle);
    navigation_place(r, w, &w->pose.x, &w->pose.z);
    w->pose.yaw = sl_uniform_in(&w->rng, -0.5f, 0.5f);
    angle = sl_uniform(&w->rng);
    far = sl_uniform_in(&w->rng, NAVIGATION_LEAST_GOAL, r->max_goal);
    w->goal_x = far * sl_cos_turns(angle);
    w->goal_z = far * sl_sin_turns(angle);
    navigation_place(r, w, &w->goal_x, &w->goal_z);
    w->before = w->pose;
    w->distance = navigation_distance(w);
    w->start_distance = w->distance;
    w->since_contact = r->apart_ticks;
    w->bonus_left = r->weight[NAVIGATION_COMFORT];
    navigation_event(w, NAVIGATION_EVENT_START, w->distance, 0.0f, 0.0f);
}

// ---------------------------------------------------------------- comfort

// The score of a tick: 1, less what turning hard, going fast and leaning cost.
SL_FN float navigation_score(const NavigationRules *r, const NavigationWorld *w, float speed) {
    float score = 1.0f;
    if (sl_abs(w->rotate) > NAVIGATION_TURNING) score = score - 0.3f;
    if (speed > r->fast) score = score - 0.2f;
    if (sl_abs(w->pose.roll) > NAVIGATION_ROLL) score = score - 0.2f;
    return score;
}

// The vignette follows the acceleration of the tick.
SL_FN void navigation_shade(const NavigationRules *r, NavigationWorld *w, float acceleration) {
    float span = NAVIGATION_VIGNETTE_HIGH - NAVIGATION_VIGNETTE_LOW;
    float target = sl_clamp((acceleration - NAVIGATION_VIGNETTE_LOW) / span, 0.0f, 1.0f) * NAVIGATION_VIGNETTE_MOST;
    int was = w->vignette > NAVIGATION_VISIBLE;
    w->vignette = w->vignette + (target - w->vignette) * r->vignette_blend;
    int now = w->vignette > NAVIGATION_VISIBLE;
    if (now && !was) navigation_event(w, NAVIGATION_EVENT_VIGNETTE, w->vignette, acceleration, 0.0f);
    w->vignette_ticks += now;
    w->vignette_sum = w->vignette_sum + w->vignette;
    w->vignette_peak = sl_max(w->vignette_peak, w->vignette);
}

// Measures the tick that has just passed; returns what it takes from the comfort bonus.
SL_FN float navigation_feel(const NavigationRules *r, NavigationWorld *w) {
    float vx = (w->pose.x - w->before.x) * r->inv_dt, vz = (w->pose.z - w->before.z) * r->inv_dt;
    float ax = (vx - w->vx) * r->inv_dt, az = (vz - w->vz) * r->inv_dt;
    float jx = (ax - w->ax) * r->inv_dt, jz = (az - w->az) * r->inv_dt;
    float acceleration = sl_sqrt(ax * ax + az * az), speed = sl_sqrt(vx * vx + vz * vz);
    w->hard_ticks += acceleration > NAVIGATION_VIGNETTE_HIGH;
    w->jolt_ticks += jx * jx + jz * jz > NAVIGATION_JERK * NAVIGATION_JERK;
    w->vx = vx;
    w->vz = vz;
    w->ax = ax;
    w->az = az;
    navigation_shade(r, w, acceleration);
    float score = navigation_score(r, w, speed);
    w->score_sum = w->score_sum + score;
    float loss = ((1.0f - score) + 0.3f * w->vignette) * r->lose;
    loss = sl_min(loss, w->bonus_left);
    w->bonus_left = w->bonus_left - loss;
    return loss;
}

// ---------------------------------------------------------------- a tick

SL_FN void navigation_contact(const NavigationRules *r, NavigationWorld *w, int touched) {
    int fresh = touched && w->since_contact >= r->apart_ticks;
    w->since_contact = touched ? 0 : w->since_contact + 1;
    if (!fresh) return;
    w->collisions++;
    navigation_event(w, NAVIGATION_EVENT_COLLISION, w->pose.x, w->pose.z, (float)w->collisions);
}

SL_FN void navigation_judge(const NavigationRules *r, NavigationWorld *w) {
    w->distance = navigation_distance(w);
    if (!w->falling && w->distance <= r->goal_radius) {
        w->ending = NAVIGATION_GOAL;
        navigation_event(w, NAVIGATION_EVENT_GOAL, (float)w->tick, 0.0f, 0.0f);
    } else if (w->pose.y + r->head_height < NAVIGATION_FELL) w->ending = NAVIGATION_DROPPED;
    else if (w->collisions >= r->max_collisions) w->ending = NAVIGATION_BATTERED;
    else if (w->tick >= r->limit) {
        w->ending = NAVIGATION_TIMEOUT;
        navigation_event(w, NAVIGATION_EVENT_TIMEOUT, (float)w->tick, 0.0f, 0.0f);
    }
}

// Returns what the tick takes from the comfort bonus.
SL_FN float navigation_tick(const NavigationRules *r, NavigationWorld *w, const NavigationIntent *intent) {
    w->tick++;
    w->before = w->pose;
    navigation_smooth(r, w, intent);
    navigation_turn(r, w);
    navigation_snap(r, w, intent->rotate);
    if (w->falling) navigation_drop(r, w);
    else {
        navigation_contact(r, w, navigation_walk(r, w));
        if (navigation_over_pit(r, w)) {
            w->falling = 1;
            navigation_event(w, NAVIGATION_EVENT_FALL, w->pose.x, w->pose.z, 0.0f);
        }
    }
    float loss = navigation_feel(r, w);
    navigation_judge(r, w);
    return loss;
}

// ---------------------------------------------------------------- scoring

SL_FN float navigation_pay(const NavigationRules *r, NavigationWorld *w, float before, int collided, float loss) {
    const float *weight = r->weight;
    float pay[NAVIGATION_TERMS], reward = 0.0f;
    int goal = w->ending == NAVIGATION_GOAL;
    pay[NAVIGATION_PROGRESS] = weight[NAVIGATION_PROGRESS] * (before - w->distance);
    pay[NAVIGATION_COMFORT] = -loss;
    pay[NAVIGATION_REACHED] = goal ? weight[NAVIGATION_REACHED] : 0.0f;
    pay[NAVIGATION_COLLIDED] = -(weight[NAVIGATION_COLLIDED] * (float)collided);
    pay[NAVIGATION_FALLEN] = w->ending == NAVIGATION_DROPPED ? -weight[NAVIGATION_FALLEN] : 0.0f;
    pay[NAVIGATION_LATE] = w->ending == NAVIGATION_TIMEOUT ? -weight[NAVIGATION_LATE] : 0.0f;
    for (int i = 0; i < NAVIGATION_TERMS; i++) {
        w->sums[i] += pay[i];
        reward += pay[i];
    }
    return reward;
}

// ---------------------------------------------------------------- seeing

SL_FN void navigation_see_camera(const NavigationRules *r, const NavigationWorld *w, NavigationObservation *o) {
    const NavigationPose *p = &w->pose, *q = &w->before;
    float half_roll = p->roll * 0.0795774715f;              // half an angle in turns
    float sy = sl_sin_turns(0.5f * p->yaw), cy = sl_cos_turns(0.5f * p->yaw);
    float sr = sl_sin_turns(half_roll), cr = sl_cos_turns(half_roll);
    o->position[0] = p->x;
    o->position[1] = p->y + r->head_height;
    o->position[2] = p->z;
    o->rotation[0] = sy * sr;
    o->rotation[1] = sy * cr;
    o->rotation[2] = cy * sr;
    o->rotation[3] = cy * cr;
    o->velocity[0] = w->vx;
    o->velocity[1] = (p->y - q->y) * r->inv_dt;
    o->velocity[2] = w->vz;
    o->angular_velocity[0] = w->roll_rate * sl_sin_turns(p->yaw);
    o->angular_velocity[1] = w->yaw_rate;
    o->angular_velocity[2] = w->roll_rate * sl_cos_turns(p->yaw);
}

SL_FN void navigation_see_hands(const NavigationRules *r, const NavigationWorld *w, NavigationObservation *o) {
    NavigationHands now = navigation_hands(r, &w->pose), before = navigation_hands(r, &w->before);
    for (int k = 0; k < 3; k++) {
        o->left_hand[k] = now.left[k];
        o->right_hand[k] = now.right[k];
        o->left_hand_velocity[k] = (now.left[k] - before.left[k]) * r->inv_dt;
        o->right_hand_velocity[k] = (now.right[k] - before.right[k]) * r->inv_dt;
    }
}

SL_FN void navigation_see_goal(const NavigationWorld *w, NavigationObservation *o) {
    float distance = navigation_distance(w), scale = distance < 0.001f ? 0.0f : 1.0f / distance;
    o->goal[0] = w->goal_x - w->pose.x;
    o->goal[1] = -w->pose.y;
    o->goal[2] = w->goal_z - w->pose.z;
    o->goal_distance = distance;
    o->goal_direction[0] = o->goal[0] * scale;
    o->goal_direction[1] = 0.0f;
    o->goal_direction[2] = o->goal[2] * scale;
}

SL_FN void navigation_see(const NavigationRules *r, const NavigationWorld *w, float *out) {
    NavigationObservation *o = (NavigationObservation *)out;
    navigation_see_camera(r, w, o);
    navigation_look_around(r, w, o->rays);
    navigation_see_hands(r, w, o);
    navigation_see_goal(w, o);
    if (!r->task_id) return;
    for (int k = 0; k < NAVIGATION_TASKS; k++) out[NAVIGATION_SEES + k] = k == w->layout ? 1.0f : 0.0f;
}

SL_FN void navigation_observe(const void *rules, const void *world, const SlView *view) {
    navigation_see((const NavigationRules *)rules, (const NavigationWorld *)world, view->observations);
}

// ---------------------------------------------------------------- a step

SL_FN void navigation_step(const void *rules, void *world, const SlView *view) {
    const NavigationRules *r = (const NavigationRules *)rules;
    NavigationWorld *w = (NavigationWorld *)world;
    NavigationIntent intent = navigation_decide(r, (const float *)view->actions);
    float before = w->distance, loss = 0.0f;
    int collisions = w->collisions;
    w->event_count = 0;
    w->step_ticks = 0;
    do {
        loss = loss + navigation_tick(r, w, &intent);
        w->step_ticks++;
    } while (w->ending == NAVIGATION_WALKING && w->step_ticks < r->ticks_per_step);
    w->steps++;
    view->rewards[0] = navigation_pay(r, w, before, w->collisions - collisions, loss);
    navigation_see(r, w, view->observations);
    view->terminated[0] = (uint8_t)(w->ending != NAVIGATION_WALKING && w->ending != NAVIGATION_TIMEOUT);
    view->truncated[0] = (uint8_t)(w->ending == NAVIGATION_TIMEOUT);
    view->ticks[0] = w->step_ticks;
}
