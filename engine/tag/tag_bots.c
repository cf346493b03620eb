// tag_bots.c: scripted players. They see what a policy sees (layout `rays`, without the privileged block)
// and remember a few floats: where the opponent was last, where they are going, how long they have been
// stuck. Under another layout they stand still. In mode `switch` a player whose role has changed plays
// the other role's script: the chaser evades, the evader chases.
#include "tag.h"

// A bot's memory. The first two floats hold its generator; the rest is zero when an episode begins.
enum {
    MIND_STARTED = 2,
    MIND_X, MIND_Z,             // where the opponent is believed to be, metres
    MIND_VX, MIND_VZ,           // and its velocity, m/s
    MIND_AGE,                   // steps since it was seen
    MIND_GOAL_X, MIND_GOAL_Z,   // where to stroll
    MIND_GOAL_STEPS,            // until another goal is taken
    MIND_STUCK,                 // steps of pushing without moving
    MIND_CLOCK,                 // time left at the last step, to notice a new match
    MIND_STEPS,                 // since the match began
    MIND_END
};
SL_STATIC_ASSERT(MIND_END <= SL_BOT_MEMORY, "a mind fits into a bot's memory");

#define MIND_NEVER 9999.0f      // an age: not seen in this match
#define MIND_WAYS 24            // directions weighed when fleeing
#define MIND_MOMENTS 8          // length of an imagined future, and
#define MIND_MOMENT 0.1f        // seconds of each of its moments
#define MIND_SLOWING 0.93f      // a believed velocity, from step to step
#define MIND_RUN 0.48f          // seconds of running that a way is judged by
#define MIND_NEAR 11.0f         // metres; from there on a hider thinks of being caught
// What being caught a moment sooner costs in metres of distance, and a jump without need. These and the
// weights in tag_mind_weigh were found by a random search over matches against chase and ambush.
#define MIND_CAUGHT 1.4f
#define MIND_JUMP 0.18f
#define MIND_SPIN 0.05f         // input that turns the eyes and hardly moves the body

// What a level can do. Level 3 has no handicap.
typedef struct {
    float strength;             // share of full speed
    float blur;                 // turns; a direction is off by up to this
    int attention;              // looks only every so many steps
    int memory_steps;           // how long an opponent out of sight is believed in
    int leads, hops, dodges;    // aims ahead; jumps over what blocks; jumps out of reach
} TagSkill;

// What a bot knows in one step: its observation in metres, and its memory.
typedef struct {
    const TagRules *rules;
    const TagObservation *o;
    TagSkill skill;
    SlRng rng;
    float *memory;
    float x, z, vx, vz, fx, fz, step_s;         // metres, m/s, unit vector, seconds a step
    float ray_x[TAG_RAYS], ray_z[TAG_RAYS], reach[TAG_RAYS];    // where each ray goes, and how far it got
    float hit_x[TAG_RAY_LANES], hit_z[TAG_RAY_LANES];           // where it met a wall, seen from here; else zero
    int sees;
    float jump;
} TagMind;

SL_FN TagSkill tag_skill(int level) {
    TagSkill novice = { 0.6f, 0.08f, 8, 8, 0, 0, 0 };
    TagSkill player = { 0.85f, 0.03f, 3, 24, 1, 1, 0 };
    TagSkill expert = { 1.0f, 0.0f, 1, 50, 1, 1, 1 };
    return level <= 1 ? novice : level == 2 ? player : expert;
}

// ---------------------------------------------------------------- knowing

SL_FN void tag_mind_restart(TagMind *mind) {
    for (int i = MIND_STARTED; i < SL_BOT_MEMORY; i++) mind->memory[i] = 0.0f;
    mind->memory[MIND_STARTED] = 1.0f;
    mind->memory[MIND_AGE] = MIND_NEVER;
}

SL_FN void tag_mind_look(TagMind *mind) {
    const TagRules *rules = mind->rules;
    for (int i = 0; i < TAG_RAYS; i++) {
        mind->ray_x[i] = mind->fx * rules->ray_cos[i] + mind->fz * rules->ray_sin[i];
        mind->ray_z[i] = mind->fz * rules->ray_cos[i] - mind->fx * rules->ray_sin[i];
        mind->reach[i] = mind->o->rays[i][0] * rules->vision_range;
    }
    for (int i = 0; i < TAG_RAYS; i++) {
        float far = mind->o->rays[i][2] * mind->reach[i];       // 0 where the ray met no wall
        mind->hit_x[i] = mind->ray_x[i] * far;
        mind->hit_z[i] = mind->ray_z[i] * far;
    }
    for (int i = TAG_RAYS; i < TAG_RAY_LANES; i++) mind->hit_x[i] = mind->hit_z[i] = 0.0f;
}

// 1 when ray i meets the body that ray `best` met: an agent, and not much farther.
SL_FN int tag_mind_same_body(const TagMind *mind, int i, int best) {
    return i >= 0 && i < TAG_RAYS && mind->o->rays[i][3] > 0.5f && mind->reach[i] < mind->reach[best] + 1.5f;
}

// The nearest body in view: the ray that met it soonest, and the middle of the rays around that one.
SL_FN int tag_mind_find(const TagMind *mind, float *x, float *z) {
    int best = -1;
    for (int i = 0; i < TAG_RAYS; i++)
        if (mind->o->rays[i][3] > 0.5f && (best < 0 || mind->reach[i] < mind->reach[best])) best = i;
    if (best < 0) return 0;
    int first = best, last = best;
    while (tag_mind_same_body(mind, first - 1, best)) first--;
    while (tag_mind_same_body(mind, last + 1, best)) last++;
    int middle = (first + last) / 2;
    float far = mind->reach[best] + mind->rules->half;
    *x = mind->x + mind->ray_x[middle] * far;
    *z = mind->z + mind->ray_z[middle] * far;
    return 1;
}

SL_FN float tag_mind_within(const TagMind *mind, float v) { return sl_clamp(v, -mind->rules->wall, mind->rules->wall); }

// An opponent out of sight is believed to run on, ever slower.
SL_FN void tag_mind_believe(TagMind *mind) {
    float *m = mind->memory;
    m[MIND_X] = tag_mind_within(mind, m[MIND_X] + m[MIND_VX] * mind->step_s);
    m[MIND_Z] = tag_mind_within(mind, m[MIND_Z] + m[MIND_VZ] * mind->step_s);
    m[MIND_VX] *= MIND_SLOWING;
    m[MIND_VZ] *= MIND_SLOWING;
    m[MIND_AGE] += 1.0f;
}

SL_FN void tag_mind_notice(TagMind *mind, float x, float z) {
    float *m = mind->memory, top = mind->rules->max_speed, steps = m[MIND_AGE] + 1.0f;
    int fresh = steps < 12.0f;
    // the belief has already been carried on, so the surprise is what is added to the velocity
    float vx = fresh ? m[MIND_VX] + 0.4f * (x - m[MIND_X]) / mind->step_s : 0.0f;
    float vz = fresh ? m[MIND_VZ] + 0.4f * (z - m[MIND_Z]) / mind->step_s : 0.0f;
    m[MIND_VX] = sl_clamp(vx, -top, top);
    m[MIND_VZ] = sl_clamp(vz, -top, top);
    m[MIND_X] = x;
    m[MIND_Z] = z;
    m[MIND_AGE] = 0.0f;
}

// Ready to play: 0 when this observation is not one a bot can read.
SL_FN int tag_mind_open(TagMind *mind, const TagRules *rules, int level, const float *observation, float *memory) {
    if (rules->layout != TAG_LAYOUT_RAYS) return 0;
    float x, z;
    mind->rules = rules;
    mind->o = (const TagObservation *)observation;
    mind->skill = tag_skill(level);
    mind->memory = memory;
    sl_copy(&mind->rng.state, memory, sizeof mind->rng.state);
    mind->x = mind->o->place[0] * rules->arena_half;
    mind->z = mind->o->place[2] * rules->arena_half;
    mind->vx = mind->o->velocity[0] * rules->max_speed;
    mind->vz = mind->o->velocity[2] * rules->max_speed;
    mind->fx = mind->o->facing[0];
    mind->fz = mind->o->facing[1];
    mind->step_s = (float)rules->ticks_per_step * rules->dt;
    mind->jump = 0.0f;
    if (memory[MIND_STARTED] == 0.0f || mind->o->time_left > memory[MIND_CLOCK]) tag_mind_restart(mind);
    memory[MIND_CLOCK] = mind->o->time_left;
    memory[MIND_STEPS] += 1.0f;
    tag_mind_look(mind);
    if (memory[MIND_AGE] < MIND_NEVER) tag_mind_believe(mind);
    mind->sees = tag_mind_find(mind, &x, &z);
    if (mind->sees && (int)memory[MIND_STEPS] % mind->skill.attention == 0) tag_mind_notice(mind, x, z);
    return 1;
}

SL_FN void tag_mind_close(const TagMind *mind) { sl_copy(mind->memory, &mind->rng.state, sizeof mind->rng.state); }

SL_FN float tag_mind_distance(const TagMind *mind, float x, float z) {
    float dx = x - mind->x, dz = z - mind->z;
    return sl_sqrt(dx * dx + dz * dz);
}

SL_FN int tag_mind_remembers(const TagMind *mind) { return mind->memory[MIND_AGE] < (float)mind->skill.memory_steps; }

// ---------------------------------------------------------------- moving

// Free metres before the middle of a body walking along (dx, dz) meets a wall or what the rays show.
SL_FN float tag_mind_free(const TagMind *mind, float dx, float dz) {
    float room_x = mind->rules->wall - (dx > 0.0f ? mind->x : -mind->x);
    float room_z = mind->rules->wall - (dz > 0.0f ? mind->z : -mind->z);
    float most = sl_min(room_x / sl_max(sl_abs(dx), 1e-3f), room_z / sl_max(sl_abs(dz), 1e-3f));
    float width = mind->rules->half * 1.3f, met[TAG_RAY_LANES];
    for (int i = 0; i < TAG_RAY_LANES; i++) {
        float ahead = mind->hit_x[i] * dx + mind->hit_z[i] * dz, aside = mind->hit_x[i] * dz - mind->hit_z[i] * dx;
        met[i] = ((ahead > 0.0f) & (sl_abs(aside) < width)) ? ahead : TAG_FAR;
    }
    for (int half = TAG_RAY_LANES / 2; half >= 5; half /= 2)        // 40 lanes: the least of them in 20, 10, 5
        for (int i = 0; i < half; i++) met[i] = sl_min(met[i], met[i + half]);
    for (int i = 1; i < 5; i++) met[0] = sl_min(met[0], met[i]);
    return sl_min(most, met[0] - mind->rules->half);
}

SL_FN void tag_mind_turned(float dx, float dz, float turns, float *ox, float *oz) {
    float c = sl_cos_turns(turns), s = sl_sin_turns(turns);
    *ox = dx * c - dz * s;
    *oz = dz * c + dx * s;
}

// Writes the input that moves along (dx, dz) of the world.
SL_FN void tag_mind_go(TagMind *mind, float dx, float dz, float strength, float *action) {
    float blur = mind->skill.blur;
    if (blur > 0.0f) tag_mind_turned(dx, dz, sl_uniform_in(&mind->rng, -blur, blur), &dx, &dz);
    float right = dz * mind->fx - dx * mind->fz, ahead = dx * mind->fx + dz * mind->fz;
    strength *= mind->skill.strength;
    action[0] = sl_clamp(right * strength, -1.0f, 1.0f);
    action[1] = sl_clamp(-(ahead * strength), -1.0f, 1.0f);
    action[2] = mind->jump;
    float turn = ahead < 0.0f ? (right > 0.0f ? 1.0f : -1.0f) : right * 3.0f;
    if (mind->rules->turn_control) action[3] = sl_clamp(turn, -1.0f, 1.0f);
}

// Eyes go round to the left, the body all but stays.
SL_FN void tag_mind_spin(const TagMind *mind, float *action) {
    action[0] = -MIND_SPIN;
    action[1] = 0.0f;
    action[2] = mind->jump;
    if (mind->rules->turn_control) action[3] = -1.0f;
}

// Pushing and not moving for a while: hop, and try another way.
SL_FN int tag_mind_is_stuck(TagMind *mind) {
    float speed = sl_sqrt(mind->vx * mind->vx + mind->vz * mind->vz);
    float *stuck = &mind->memory[MIND_STUCK];
    *stuck = speed < 0.12f * mind->rules->max_speed ? *stuck + 1.0f : 0.0f;
    return *stuck > 5.0f;
}

// Toward a place, around what stands in the way: the least turn that gives room enough.
SL_FN void tag_mind_approach(TagMind *mind, float x, float z, float *action) {
    float distance = tag_mind_distance(mind, x, z);
    if (distance < 0.05f) { tag_mind_spin(mind, action); return; }
    float dx = (x - mind->x) / distance, dz = (z - mind->z) / distance, best_x = dx, best_z = dz;
    float wanted = sl_min(distance - mind->rules->edge, 2.0f), best = -1e9f;
    int stuck = tag_mind_is_stuck(mind);
    if (stuck && mind->skill.hops) mind->jump = 1.0f;
    for (int way = 0; way < 13; way++) {
        float turns = (float)((way + 1) / 2) * (way & 1 ? 0.04f : -0.04f), tx, tz;
        tag_mind_turned(dx, dz, turns, &tx, &tz);
        float room = tag_mind_free(mind, tx, tz);
        float score = sl_min(room - wanted, 0.0f) * 1.5f - sl_abs(turns) * 6.0f;
        if (stuck) score += sl_uniform_in(&mind->rng, 0.0f, 2.0f);
        if (score > best) { best = score; best_x = tx; best_z = tz; }
    }
    tag_mind_go(mind, best_x, best_z, 1.0f, action);
}

SL_FN void tag_mind_new_goal(TagMind *mind) {
    float far = mind->rules->wall * 0.8f;
    mind->memory[MIND_GOAL_X] = sl_uniform_in(&mind->rng, -far, far);
    mind->memory[MIND_GOAL_Z] = sl_uniform_in(&mind->rng, -far, far);
    mind->memory[MIND_GOAL_STEPS] = 40.0f;
}

// From one random place to another; takes a new one in time, on arrival or when stuck.
SL_FN void tag_mind_stroll(TagMind *mind, float *action) {
    float *m = mind->memory;
    m[MIND_GOAL_STEPS] -= 1.0f;
    if (m[MIND_GOAL_STEPS] <= 0.0f || m[MIND_STUCK] > 8.0f || tag_mind_distance(mind, m[MIND_GOAL_X], m[MIND_GOAL_Z]) < 1.5f)
        tag_mind_new_goal(mind);
    tag_mind_approach(mind, m[MIND_GOAL_X], m[MIND_GOAL_Z], action);
}

// ---------------------------------------------------------------- seeking

// Where the opponent will be when we get there, if it goes on as it does.
SL_FN void tag_mind_intercept(const TagMind *mind, float *x, float *z) {
    const float *m = mind->memory;
    float distance = tag_mind_distance(mind, m[MIND_X], m[MIND_Z]);
    float seconds = mind->skill.leads ? sl_min(distance / mind->rules->max_speed, 0.8f) * 0.7f : 0.0f;
    *x = tag_mind_within(mind, m[MIND_X] + m[MIND_VX] * seconds);
    *z = tag_mind_within(mind, m[MIND_Z] + m[MIND_VZ] * seconds);
}

SL_FN void tag_mind_pursue(TagMind *mind, float *action) {
    float x, z, *m = mind->memory;
    float distance = tag_mind_distance(mind, m[MIND_X], m[MIND_Z]);
    tag_mind_intercept(mind, &x, &z);
    // near where it should be and nothing to see: it is on top of something, or in the air
    if (mind->skill.hops && !mind->sees && distance < 2.5f && m[MIND_AGE] < 12.0f) mind->jump = 1.0f;
    if (!mind->sees && distance < 0.8f) m[MIND_AGE] = MIND_NEVER;
    tag_mind_approach(mind, x, z, action);
}

// A look around first; then places, with a hop now and then to see over low boxes.
SL_FN void tag_mind_search(TagMind *mind, float *action) {
    if (mind->memory[MIND_STEPS] < 14.0f) { tag_mind_spin(mind, action); return; }
    if (mind->skill.dodges && (int)mind->memory[MIND_STEPS] % 35 == 0) mind->jump = 1.0f;
    tag_mind_stroll(mind, action);
}

SL_FN void tag_mind_chase(TagMind *mind, float *action) {
    if (tag_mind_remembers(mind)) tag_mind_pursue(mind, action);
    else tag_mind_search(mind, action);
}

// Waits by the middle, eyes going round, and strikes at what comes near; late in the match it hunts.
SL_FN void tag_mind_lurk(TagMind *mind, float *action) {
    const float *m = mind->memory;
    float strike = 3.5f + 2.0f * (float)mind->skill.hops + 2.5f * (float)mind->skill.dodges;
    int near_enough = tag_mind_remembers(mind) && tag_mind_distance(mind, m[MIND_X], m[MIND_Z]) < strike;
    if (near_enough || mind->o->time_left < 0.6f) tag_mind_chase(mind, action);
    else if (mind->x * mind->x + mind->z * mind->z > 9.0f) tag_mind_approach(mind, 0.0f, 0.0f, action);
    else tag_mind_spin(mind, action);
}

// ---------------------------------------------------------------- hiding

// How good it is to run along (dx, dz): far from the seeker, off the walls and corners, not
// past the seeker, and not against our own speed.
SL_FN float tag_mind_weigh(const TagMind *mind, float dx, float dz, float room) {
    const float *m = mind->memory;
    float run = sl_clamp(room, 0.0f, mind->rules->max_speed * MIND_RUN);
    float x = mind->x + dx * run, z = mind->z + dz * run;
    float tx = m[MIND_X], tz = m[MIND_Z];
    float gap_x = x - tx, gap_z = z - tz, score = sl_sqrt(gap_x * gap_x + gap_z * gap_z);
    float safe = mind->rules->arena_half - 3.3f;
    float edge_x = sl_max(sl_abs(x) - safe, 0.0f), edge_z = sl_max(sl_abs(z) - safe, 0.0f);
    score -= 0.13f * (edge_x + edge_z) + 0.49f * edge_x * edge_z;
    float along = sl_clamp((tx - mind->x) * dx + (tz - mind->z) * dz, 0.0f, run);
    float pass_x = tx - (mind->x + dx * along), pass_z = tz - (mind->z + dz * along);
    float passing = sl_sqrt(pass_x * pass_x + pass_z * pass_z);
    if (along > 0.0f) score -= 1.2f * sl_max(3.1f - passing, 0.0f);
    score -= 2.0f * sl_max(1.5f - room, 0.0f);
    return score + 3.5f * (mind->vx * dx + mind->vz * dz) / mind->rules->max_speed;
}

// One body of an imagined future.
typedef struct { float x, z, vx, vz; } TagGhost;

SL_FN TagGhost tag_ghost_move(const TagRules *rules, TagGhost ghost, float want_x, float want_z, float seconds) {
    float ex = want_x - ghost.vx, ez = want_z - ghost.vz, lack = sl_sqrt(ex * ex + ez * ez);
    float most = rules->accelerate * (float)rules->tick_rate * seconds, k = most / sl_max(lack, most);
    ghost.vx += ex * k;
    ghost.vz += ez * k;
    ghost.x = sl_clamp(ghost.x + ghost.vx * seconds, -rules->wall, rules->wall);
    ghost.z = sl_clamp(ghost.z + ghost.vz * seconds, -rules->wall, rules->wall);
    return ghost;
}

// A seeker that runs straight at the hider.
SL_FN TagGhost tag_ghost_hunt(const TagRules *rules, TagGhost seeker, TagGhost hider, float seconds) {
    float dx = hider.x - seeker.x, dz = hider.z - seeker.z, d = sl_max(sl_sqrt(dx * dx + dz * dz), 0.01f);
    float speed = rules->speed[TAG_SEEKER] / d;
    return tag_ghost_move(rules, seeker, dx * speed, dz * speed, seconds);
}

// Many futures side by side, one for each way out: lanes, so that they are imagined together.
typedef struct {
    float dx[MIND_WAYS], dz[MIND_WAYS], room[MIND_WAYS];    // where to, and how far that goes
    float me_x[MIND_WAYS], me_z[MIND_WAYS], me_vx[MIND_WAYS], me_vz[MIND_WAYS];
    float it_x[MIND_WAYS], it_z[MIND_WAYS], it_vx[MIND_WAYS], it_vz[MIND_WAYS];
    float foot[MIND_WAYS], leap[MIND_WAYS];                 // moments until we are caught, on foot and jumping
} TagFutures;

SL_FN void tag_futures_begin(const TagMind *mind, TagFutures *f) {
    const float *m = mind->memory;
    for (int way = 0; way < MIND_WAYS; way++) {
        float turns = (float)way / (float)MIND_WAYS;
        f->dx[way] = sl_cos_turns(turns);
        f->dz[way] = sl_sin_turns(turns);
        f->foot[way] = f->leap[way] = (float)MIND_MOMENTS;
        f->me_x[way] = mind->x; f->me_z[way] = mind->z; f->me_vx[way] = mind->vx; f->me_vz[way] = mind->vz;
        f->it_x[way] = m[MIND_X]; f->it_z[way] = m[MIND_Z]; f->it_vx[way] = m[MIND_VX]; f->it_vz[way] = m[MIND_VZ];
    }
    for (int way = 0; way < MIND_WAYS; way++) f->room[way] = tag_mind_free(mind, f->dx[way], f->dz[way]);
}

// One moment of all futures. A touch counts as `foot` and as `leap` moments, whichever is fewer so far.
SL_FN void tag_futures_pass(const TagMind *mind, TagFutures *f, float foot, float leap) {
    const TagRules *rules = mind->rules;
    float touch = rules->touch, full = rules->speed[TAG_HIDER], never = (float)MIND_MOMENTS, x = mind->x, z = mind->z;
    for (int way = 0; way < MIND_WAYS; way++) {
        TagGhost me = { f->me_x[way], f->me_z[way], f->me_vx[way], f->me_vz[way] };
        TagGhost it = { f->it_x[way], f->it_z[way], f->it_vx[way], f->it_vz[way] };
        float dx = f->dx[way], dz = f->dz[way], walked = (me.x - x) * dx + (me.z - z) * dz;
        float speed = walked < f->room[way] ? full : 0.0f;
        it = tag_ghost_hunt(rules, it, me, MIND_MOMENT);
        me = tag_ghost_move(rules, me, dx * speed, dz * speed, MIND_MOMENT);
        int touched = sl_max(sl_abs(me.x - it.x), sl_abs(me.z - it.z)) < touch;
        f->foot[way] = sl_min(f->foot[way], touched ? foot : never);
        f->leap[way] = sl_min(f->leap[way], touched ? leap : never);
        f->me_x[way] = me.x; f->me_z[way] = me.z; f->me_vx[way] = me.vx; f->me_vz[way] = me.vz;
        f->it_x[way] = it.x; f->it_z[way] = it.z; f->it_vx[way] = it.vx; f->it_vz[way] = it.vz;
    }
}

// Height above the ground under us, moment by moment.
typedef struct { float y, up, ground; } TagHop;

SL_FN float tag_hop_on(const TagRules *rules, TagHop *hop) {
    hop->y = sl_max(hop->y + hop->up * MIND_MOMENT, hop->ground);
    hop->up -= rules->fall * (float)rules->tick_rate * MIND_MOMENT;
    return hop->y - hop->ground;
}

// The next moments with a seeker at our heels, for every way out.
SL_FN void tag_mind_foresee(const TagMind *mind, TagFutures *f) {
    const TagRules *rules = mind->rules;
    float y = mind->o->place[1] * 4.0f, ground = mind->o->on_floor > 0.5f ? y : 0.0f;
    TagHop foot = { y, mind->o->velocity[1] * 10.0f, ground }, leap = { y, rules->jump_speed, ground };
    for (int moment = 0; moment < MIND_MOMENTS; moment++) {
        float when = (float)moment, never = (float)MIND_MOMENTS;
        float foot_when = tag_hop_on(rules, &foot) < rules->touch ? when : never;
        float leap_when = tag_hop_on(rules, &leap) < rules->touch ? when : never;
        tag_futures_pass(mind, f, foot_when, leap_when);
    }
}

// The way with the best prospects, jumping only where that helps.
SL_FN void tag_mind_best_way(TagMind *mind, float *dx, float *dz) {
    TagFutures f;
    float best = -1e9f, never = (float)MIND_MOMENTS;
    int near_us = mind->skill.dodges && tag_mind_distance(mind, mind->memory[MIND_X], mind->memory[MIND_Z]) < MIND_NEAR;
    tag_futures_begin(mind, &f);
    if (near_us) tag_mind_foresee(mind, &f);
    for (int way = 0; way < MIND_WAYS; way++) {
        float score = tag_mind_weigh(mind, f.dx[way], f.dz[way], f.room[way]);
        float foot = score - MIND_CAUGHT * (never - f.foot[way]);
        float leap = score - MIND_CAUGHT * (never - f.leap[way]) - MIND_JUMP;
        if (sl_max(foot, leap) <= best) continue;
        best = sl_max(foot, leap);
        *dx = f.dx[way];
        *dz = f.dz[way];
        mind->jump = leap > foot ? 1.0f : 0.0f;
    }
}

// The seeker is believed to come on while we do not look.
SL_FN void tag_mind_fear(TagMind *mind) {
    float *m = mind->memory;
    TagGhost me = { mind->x, mind->z, mind->vx, mind->vz }, seeker = { m[MIND_X], m[MIND_Z], m[MIND_VX], m[MIND_VZ] };
    if (m[MIND_AGE] < 1.0f) return;
    seeker = tag_ghost_hunt(mind->rules, seeker, me, mind->step_s);
    m[MIND_VX] = seeker.vx / MIND_SLOWING;      // believing will take it off again
    m[MIND_VZ] = seeker.vz / MIND_SLOWING;
}

SL_FN void tag_mind_flee(TagMind *mind, float *action) {
    const float *m = mind->memory;
    float dx = 0.0f, dz = -1.0f, distance = sl_max(tag_mind_distance(mind, m[MIND_X], m[MIND_Z]), 0.1f);
    if (mind->skill.attention > 4) {            // a novice just runs away
        dx = (mind->x - m[MIND_X]) / distance;
        dz = (mind->z - m[MIND_Z]) / distance;
    } else {
        tag_mind_fear(mind);
        tag_mind_best_way(mind, &dx, &dz);
    }
    if (mind->skill.hops && tag_mind_is_stuck(mind)) mind->jump = 1.0f;
    tag_mind_go(mind, dx, dz, 1.0f, action);
}

// Nobody in sight: look around, move on, look around again.
SL_FN void tag_mind_keep_watch(TagMind *mind, float *action) {
    int phase = (int)mind->memory[MIND_STEPS] % 40;
    if (phase < 30) tag_mind_spin(mind, action);
    else tag_mind_stroll(mind, action);
}

SL_FN void tag_mind_evade(TagMind *mind, float *action) {
    if (tag_mind_remembers(mind)) tag_mind_flee(mind, action);
    else tag_mind_keep_watch(mind, action);
}

// ---------------------------------------------------------------- strolling

// From place to place; the better ones notice who comes near, and go there or elsewhere.
SL_FN void tag_mind_wander(TagMind *mind, float *action) {
    float *m = mind->memory, notice = 3.0f * (float)(mind->skill.hops + mind->skill.dodges);
    float distance = tag_mind_distance(mind, m[MIND_X], m[MIND_Z]);
    if (tag_mind_remembers(mind) && distance < notice) {
        float away = mind->o->seeker > 0.5f ? 0.0f : 4.0f / sl_max(distance, 0.1f);
        m[MIND_GOAL_X] = away > 0.0f ? tag_mind_within(mind, mind->x + (mind->x - m[MIND_X]) * away) : m[MIND_X];
        m[MIND_GOAL_Z] = away > 0.0f ? tag_mind_within(mind, mind->z + (mind->z - m[MIND_Z]) * away) : m[MIND_Z];
        m[MIND_GOAL_STEPS] = 12.0f;
    }
    tag_mind_stroll(mind, action);
}

// ---------------------------------------------------------------- the players

typedef void (*TagScript)(TagMind *mind, float *action);

SL_FN void tag_act(const void *rules_, int level, const float *observation, float *memory, void *action,
                   TagScript seeking, TagScript hiding) {
    const TagRules *rules = (const TagRules *)rules_;
    float *out = (float *)action;
    TagMind mind;
    for (int i = 0; i < (rules->turn_control ? 4 : 3); i++) out[i] = 0.0f;
    if (!tag_mind_open(&mind, rules, level, observation, memory)) return;
    if (mind.o->seeker > 0.5f) seeking(&mind, out);
    else hiding(&mind, out);
    tag_mind_close(&mind);
}

SL_FN void tag_bot_chase(const void *rules, int level, const float *observation, const uint8_t *mask,
                         float *memory, void *action) {
    (void)mask;
    tag_act(rules, level, observation, memory, action, tag_mind_chase, tag_mind_evade);
}

SL_FN void tag_bot_evade(const void *rules, int level, const float *observation, const uint8_t *mask,
                         float *memory, void *action) {
    tag_bot_chase(rules, level, observation, mask, memory, action);
}

SL_FN void tag_bot_wander(const void *rules, int level, const float *observation, const uint8_t *mask,
                          float *memory, void *action) {
    (void)mask;
    tag_act(rules, level, observation, memory, action, tag_mind_wander, tag_mind_wander);
}

SL_FN void tag_bot_ambush(const void *rules, int level, const float *observation, const uint8_t *mask,
                          float *memory, void *action) {
    (void)mask;
    tag_act(rules, level, observation, memory, action, tag_mind_lurk, tag_mind_evade);
}

SL_HOST_TABLE SlBot TAG_BOTS[] = {
    { "chase", 3, "seeker", tag_bot_chase, "runs at what it sees, aims ahead, searches when it has lost it" },
    { "evade", 3, "hider", tag_bot_evade,
      "runs from what it saw, off walls and corners, foresees being caught, jumps out of reach" },
    { "wander", 3, "all", tag_bot_wander, "strolls from place to place; the better ones notice who comes near" },
    { "ambush", 3, "seeker", tag_bot_ambush,
      "waits by the middle, strikes at what comes near, hunts when time runs short" },
};
