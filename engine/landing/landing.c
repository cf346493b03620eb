// landing.c: the rules of landing: how an episode begins, what a tick and a step are, how it ends, what is paid, and
// what the pilot sees. Flight and contact are in landing_move.c.
#include "landing.h"

// ---------------------------------------------------------------- measures

SL_FN float landing_speed(const LandingWorld *w) { return sl_sqrt((w->vx * w->vx + w->vy * w->vy) + w->vz * w->vz); }

SL_FN float landing_pad_distance(const LandingWorld *w) { return sl_sqrt(w->x * w->x + w->z * w->z); }

SL_FN float landing_tilt_cos(const LandingWorld *w) { return sl_cos_turns(w->pitch) * sl_cos_turns(w->roll); }

// Degrees of an angle by its cosine; off by at most 0.004 (Abramowitz and Stegun 4.4.45).
SL_FN float landing_degrees(float cosine) {
    float c = sl_min(sl_abs(cosine), 1.0f);
    float p = -0.0187293f;
    p = 0.0742610f + c * p;
    p = -0.2121144f + c * p;
    p = 1.5707288f + c * p;
    float angle = sl_sqrt(1.0f - c) * p * 57.29577951f;
    return cosine < 0.0f ? 180.0f - angle : angle;
}

// How far the velocity is from the wanted one: down to the pad at a constant deceleration, over it in the same time.
SL_FN float landing_velocity_error(const LandingRules *r, const LandingWorld *w) {
    float height = sl_max(w->y - r->leg_length, 0.0f);
    float descent = sl_max(sl_sqrt(2.0f * r->glide * height), LANDING_LAST_SPEED);
    float time = sl_max(sl_sqrt(2.0f * height / r->glide), LANDING_LAST_TIME);
    float ex = w->vx + w->x / time, ey = w->vy + descent, ez = w->vz + w->z / time;
    return sl_sqrt((ex * ex + ey * ey) + ez * ez);
}

SL_FN LandingPotential landing_potential(const LandingRules *r, const LandingWorld *w) {
    LandingPotential p;
    float aside = w->x * w->x + w->z * w->z, error = landing_velocity_error(r, w);
    p.distance = sl_sqrt(aside + w->y * w->y);
    p.nearness = LANDING_NEARNESS / (LANDING_NEARNESS + sl_sqrt(aside));
    p.error = error / (error + LANDING_ERROR_HALF);
    p.lean = 0.5f * (1.0f - landing_tilt_cos(w));
    return p;
}

// ---------------------------------------------------------------- an episode begins

// Fuel of a vertical free fall and one burn at full thrust that ends at rest on the pad, at the mass of the start.
SL_FN float landing_ideal_fuel(const LandingRules *r, const LandingWorld *w) {
    float strength = r->max_thrust / r->start_mass, brake = strength - r->gravity;
    float burn_way = (w->vy * w->vy + 2.0f * r->gravity * (w->y - r->leg_length)) / (2.0f * strength);
    return r->flow * (sl_sqrt(2.0f * brake * burn_way) / brake);
}

SL_FN void landing_reset(const void *rules, void *world, uint64_t seed) {
    const LandingRules *r = (const LandingRules *)rules;
    LandingWorld *w = (LandingWorld *)world;
    sl_fill(w, 0, sizeof *w);
    sl_rng_seed(&w->rng, seed);
    w->y = sl_uniform_in(&w->rng, r->altitude_min, r->altitude_max);
    w->x = sl_uniform_in(&w->rng, -r->start_offset, r->start_offset);
    w->z = sl_uniform_in(&w->rng, -r->start_offset, r->start_offset);
    w->vx = sl_uniform_in(&w->rng, -r->start_speed, r->start_speed);
    w->vz = sl_uniform_in(&w->rng, -r->start_speed, r->start_speed);
    w->vy = sl_uniform_in(&w->rng, -r->start_fall, 0.0f);
    w->phase_x = sl_uniform(&w->rng);
    w->phase_z = sl_uniform(&w->rng);
    w->pitch = sl_uniform_in(&w->rng, -r->start_tilt, r->start_tilt);
    w->roll = sl_uniform_in(&w->rng, -r->start_tilt, r->start_tilt);
    w->pitch_rate = sl_uniform_in(&w->rng, -r->start_spin, r->start_spin);
    w->roll_rate = sl_uniform_in(&w->rng, -r->start_spin, r->start_spin);
    w->fuel = r->fuel;
    w->ideal_fuel = landing_ideal_fuel(r, w);
    w->potential = landing_potential(r, w);
    landing_event(w, LANDING_EVENT_START, w->y, landing_pad_distance(w), 0.0f);
}

// ---------------------------------------------------------------- how it ends

SL_FN void landing_touch_down(const LandingRules *r, LandingWorld *w) {
    float speed = landing_speed(w), tilt = landing_tilt_cos(w);
    int crash = speed > r->hard_speed || tilt < r->upright_cos;
    w->ending = crash ? LANDING_CRASH : speed > r->soft_speed ? LANDING_HARD : LANDING_SOFT;
    landing_event(w, crash ? LANDING_EVENT_CRASH : LANDING_EVENT_TOUCHDOWN, speed, landing_degrees(tilt), landing_pad_distance(w));
}

SL_FN void landing_judge(const LandingRules *r, LandingWorld *w) {
    if (landing_contact(r, w)) landing_touch_down(r, w);
    else if (sl_abs(w->x) > r->bounds || sl_abs(w->z) > r->bounds || w->y > r->ceiling) {
        w->ending = LANDING_OUT;
        landing_event(w, LANDING_EVENT_OUT, w->x, w->y, w->z);
    } else if (w->tick >= r->limit) {
        w->ending = LANDING_TIMEOUT;
        landing_event(w, LANDING_EVENT_TIMEOUT, (float)w->tick, 0.0f, 0.0f);
    }
}

// ---------------------------------------------------------------- scoring

SL_FN int landing_landed(const LandingWorld *w) { return w->ending == LANDING_SOFT || w->ending == LANDING_HARD; }

SL_FN int landing_on_pad(const LandingRules *r, const LandingWorld *w) {
    return landing_landed(w) && landing_pad_distance(w) <= r->pad_radius;
}

// Each term is a share of its weight; the four potentials telescope over an episode.
SL_FN float landing_score(const LandingRules *r, LandingWorld *w, float fuel_used) {
    LandingPotential was = w->potential, now = landing_potential(r, w);
    const float *weight = r->weight;
    float pay[LANDING_TERMS], reward = 0.0f;
    w->potential = now;
    pay[LANDING_PROGRESS] = weight[LANDING_PROGRESS] * (was.distance - now.distance);
    pay[LANDING_CENTERING] = weight[LANDING_CENTERING] * (now.nearness - was.nearness);
    pay[LANDING_BRAKING] = weight[LANDING_BRAKING] * (was.error - now.error);
    pay[LANDING_UPRIGHT] = weight[LANDING_UPRIGHT] * (was.lean - now.lean);
    pay[LANDING_FUEL] = -(weight[LANDING_FUEL] * fuel_used);
    pay[LANDING_LANDED] = w->ending == LANDING_SOFT ? weight[LANDING_LANDED] : w->ending == LANDING_HARD ? r->hard_bonus : 0.0f;
    pay[LANDING_PAD] = landing_on_pad(r, w) ? weight[LANDING_PAD] : 0.0f;
    pay[LANDING_CRASHED] = w->ending == LANDING_CRASH ? -weight[LANDING_CRASHED] : 0.0f;
    pay[LANDING_LEFT] = w->ending == LANDING_OUT ? -weight[LANDING_LEFT] : 0.0f;
    pay[LANDING_LATE] = w->ending == LANDING_TIMEOUT ? -weight[LANDING_LATE] : 0.0f;
    for (int i = 0; i < LANDING_TERMS; i++) {
        w->sums[i] += pay[i];
        reward += pay[i];
    }
    return reward;
}

// ---------------------------------------------------------------- seeing

SL_FN void landing_look(const LandingRules *r, const LandingWorld *w, float *out) {
    LandingObservation *o = (LandingObservation *)out;
    float distance = sl_max(sl_sqrt((w->x * w->x + w->z * w->z) + w->y * w->y), 0.001f);
    float below = w->y - landing_terrain(r, w, w->x, w->z);
    o->altitude = sl_clamp(w->y * 0.001f, -0.1f, 5.0f);
    o->velocity[0] = sl_clamp(w->vx * 0.02f, -LANDING_SEEN_SPEED, LANDING_SEEN_SPEED);
    o->velocity[1] = sl_clamp(w->vy * 0.02f, -LANDING_SEEN_SPEED, LANDING_SEEN_SPEED);
    o->velocity[2] = sl_clamp(w->vz * 0.02f, -LANDING_SEEN_SPEED, LANDING_SEEN_SPEED);
    o->spin[0] = sl_clamp(w->pitch_rate, -LANDING_SEEN_SPIN, LANDING_SEEN_SPIN);
    o->spin[1] = sl_clamp(-(sl_sin_turns(w->pitch) * w->roll_rate), -LANDING_SEEN_SPIN, LANDING_SEEN_SPIN);
    o->spin[2] = sl_clamp(sl_cos_turns(w->pitch) * w->roll_rate, -LANDING_SEEN_SPIN, LANDING_SEEN_SPIN);
    o->pitch = 2.0f * w->pitch;
    o->roll = 2.0f * w->roll;
    o->to_pad[0] = -w->x / distance;
    o->to_pad[1] = -w->y / distance;
    o->to_pad[2] = -w->z / distance;
    o->pad_distance = distance * 0.001f;
    o->terrain_distance = (below > LANDING_RAY ? LANDING_NO_HIT : sl_max(below, 0.0f)) * 0.01f;
}

SL_FN void landing_observe(const void *rules, const void *world, const SlView *view) {
    landing_look((const LandingRules *)rules, (const LandingWorld *)world, view->observations);
}

// ---------------------------------------------------------------- a step

SL_FN void landing_tell_fuel(const LandingRules *r, LandingWorld *w, float before) {
    float low = LANDING_LOW_FUEL * r->fuel;
    if (before > low && w->fuel <= low) landing_event(w, LANDING_EVENT_LOW_FUEL, w->fuel, (float)w->tick, 0.0f);
    if (before > 0.0f && w->fuel <= 0.0f) landing_event(w, LANDING_EVENT_EMPTY, (float)w->tick, 0.0f, 0.0f);
}

SL_FN void landing_step(const void *rules, void *world, const SlView *view) {
    const LandingRules *r = (const LandingRules *)rules;
    LandingWorld *w = (LandingWorld *)world;
    LandingIntent intent = landing_decide(r, w, (const float *)view->actions);
    float fuel = w->fuel;
    w->event_count = 0;
    w->step_ticks = 0;
    do {
        w->tick++;
        w->step_ticks++;
        landing_fly(r, w, &intent);
        landing_judge(r, w);
    } while (w->ending == LANDING_FLYING && w->step_ticks < r->ticks_per_step);
    w->steps++;
    landing_tell_fuel(r, w, fuel);
    view->rewards[0] = landing_score(r, w, fuel - w->fuel);
    landing_look(r, w, view->observations);
    view->terminated[0] = (uint8_t)(w->ending != LANDING_FLYING && w->ending != LANDING_TIMEOUT);
    view->truncated[0] = (uint8_t)(w->ending == LANDING_TIMEOUT);
    view->ticks[0] = w->step_ticks;
}
