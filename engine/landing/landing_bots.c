// landing_bots.c: scripted pilots. They see what a policy sees, and the rules; mass they reckon from the fuel that they
// have asked for themselves, because no observation tells it.
#include "landing.h"

// A bot's memory. The first two floats hold its generator; the rest is zero when an episode begins.
enum { LANDING_MEMO_BURNT = 2, LANDING_MEMO_END };      // kg of fuel used so far

// What a pilot knows in one step, in metres and seconds.
typedef struct {
    const LandingRules *rules;
    const LandingObservation *o;
    SlRng rng;
    float *memory;
    float x, height, z, vx, vy, vz, mass;
} LandingPilot;

SL_FN LandingPilot landing_pilot(const void *rules, const float *observation, float *memory) {
    LandingPilot p;
    p.rules = (const LandingRules *)rules;
    p.o = (const LandingObservation *)observation;
    p.memory = memory;
    sl_copy(&p.rng.state, memory, sizeof p.rng.state);
    float distance = p.o->pad_distance * 1000.0f;
    p.x = -p.o->to_pad[0] * distance;
    p.z = -p.o->to_pad[2] * distance;
    p.height = p.o->altitude * 1000.0f;
    if (p.o->terrain_distance < 1.0f) p.height = p.o->terrain_distance * 100.0f;
    p.height = sl_max(p.height - p.rules->leg_length, 0.0f);
    p.vx = p.o->velocity[0] * 50.0f;
    p.vy = p.o->velocity[1] * 50.0f;
    p.vz = p.o->velocity[2] * 50.0f;
    p.mass = p.rules->dry_mass + sl_max(p.rules->fuel - memory[LANDING_MEMO_BURNT], 0.0f);
    return p;
}

// What full thrust can do beyond gravity at the start, m/s2.
SL_FN float landing_spare(const LandingRules *r) { return r->max_thrust / r->start_mass - r->gravity; }

// Thrust for an acceleration in the world; upward first, what is left of the thrust goes sideways.
SL_FN void landing_push(LandingPilot *p, float ax, float ay, float az, float *action) {
    const LandingRules *r = p->rules;
    float share = p->mass / r->max_thrust;
    float up = sl_clamp(ay * share, 0.0f, 1.0f), room = sl_sqrt(1.0f - up * up);
    float tx = ax * share, tz = az * share, aside = sl_sqrt(tx * tx + tz * tz);
    float cut = aside > room ? room / aside : 1.0f;
    action[0] = sl_clamp(tx * cut, -1.0f, 1.0f);
    action[1] = up;
    action[2] = sl_clamp(tz * cut, -1.0f, 1.0f);
    float throttle = sl_min(sl_sqrt(up * up + aside * cut * aside * cut), 1.0f);
    p->memory[LANDING_MEMO_BURNT] += throttle * r->burn * (float)r->ticks_per_step;
}

SL_FN void landing_level_out(const LandingPilot *p, float *action) {
    float stiffness = 3.0f, damping = 4.0f;
    action[3] = sl_clamp(-(stiffness * p->o->pitch * 3.14159265f) - damping * p->o->spin[0], -1.0f, 1.0f);
    action[4] = sl_clamp(-(stiffness * p->o->roll * 3.14159265f) - damping * p->o->spin[2], -1.0f, 1.0f);
}

// Down at a constant deceleration, and ever slower over the last metres; faster than wanted is braked, slower falls freely.
SL_FN float landing_climb_wanted(const LandingPilot *p, float glide) {
    float descent = sl_sqrt(2.0f * glide * p->height), follow = glide;
    float slow = LANDING_LAST_SPEED + 0.4f * p->height;
    if (slow < descent) {
        descent = slow;
        follow = 0.4f * slow;
    }
    if (descent < LANDING_LAST_SPEED) {
        descent = LANDING_LAST_SPEED;
        follow = 0.0f;
    }
    return p->rules->gravity + follow + 1.5f * (-descent - p->vy);
}

SL_FN void landing_close(const LandingPilot *p) { sl_copy(p->memory, &p->rng.state, sizeof p->rng.state); }

SL_FN void landing_bot_random(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action) {
    LandingPilot p = landing_pilot(rules, observation, memory);
    (void)level;
    (void)mask;
    for (int i = 0; i < 5; i++) ((float *)action)[i] = sl_clamp(sl_uniform_in(&p.rng, -1.0f, 1.0f), -1.0f, 1.0f);
    landing_close(&p);
}

SL_FN void landing_bot_idle(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action) {
    (void)rules;
    (void)level;
    (void)observation;
    (void)mask;
    (void)memory;
    for (int i = 0; i < 5; i++) ((float *)action)[i] = 0.0f;
}

SL_FN void landing_bot_brake(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action) {
    LandingPilot p = landing_pilot(rules, observation, memory);
    float *out = (float *)action;
    (void)level;
    (void)mask;
    landing_push(&p, -0.5f * p.vx, landing_climb_wanted(&p, 0.25f * landing_spare(p.rules)), -0.5f * p.vz, out);
    landing_level_out(&p, out);
}

// Off by so much at most, in shares of the full thrust.
SL_FN float landing_blur(int level) { return level <= 1 ? 0.3f : level == 2 ? 0.12f : 0.0f; }

SL_FN void landing_bot_autopilot(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory,
                                 void *action) {
    LandingPilot p = landing_pilot(rules, observation, memory);
    float *out = (float *)action, glide = 0.6f * landing_spare(p.rules), blur = landing_blur(level);
    float time = sl_max(sl_sqrt(2.0f * p.height / glide), 2.0f);
    (void)mask;
    landing_push(&p, 1.2f * (-p.x / time - p.vx), landing_climb_wanted(&p, glide), 1.2f * (-p.z / time - p.vz), out);
    landing_level_out(&p, out);
    for (int i = 0; blur > 0.0f && i < 3; i++) out[i] = sl_clamp(out[i] + sl_uniform_in(&p.rng, -blur, blur), -1.0f, 1.0f);
    landing_close(&p);
}

SL_HOST_TABLE SlBot LANDING_BOTS[] = {
    { "autopilot", 3, "pilot", landing_bot_autopilot,
      "follows a descent of constant deceleration to the pad; the lower levels have an unsteady hand" },
    { "brake", 1, "pilot", landing_bot_brake, "brakes fall and drift and lands where it is, the pad unheeded" },
    { "idle", 1, "pilot", landing_bot_idle, "falls" },
    { "random", 1, "pilot", landing_bot_random, "every action drawn anew in every step" },
};
