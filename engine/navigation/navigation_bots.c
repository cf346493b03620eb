// navigation_bots.c: scripted walkers. They see what a policy sees, and remember a few floats.
#include "navigation.h"

// A bot's memory. The first two floats hold its generator; the rest is zero when an episode begins.
enum {
    NAVIGATION_MEMO_ROOM = 2,           // 1 + the room that it walks to; 0 before the first
    NAVIGATION_MEMO_SEEN,               // bits of rooms it has been to, 24 in a float
    NAVIGATION_MEMO_END = 16
};
SL_STATIC_ASSERT(NAVIGATION_MEMO_END <= SL_BOT_MEMORY, "a walker's memory fits");

#define NAVIGATION_BOT_PACE 0.78f       // of the top speed: comfortable
#define NAVIGATION_BOT_BITS 24          // whole numbers that a float holds exactly
#define NAVIGATION_BOT_MARKS (NAVIGATION_BOT_BITS * (NAVIGATION_MEMO_END - NAVIGATION_MEMO_SEEN))

// 1 when the floor is free so far along a ray, and a body's width beside it.
SL_FN int navigation_bot_clear(const float *rays, int way, float far) {
    float beside = sl_min(rays[(way + 1) & 15], rays[(way + 15) & 15]);
    return rays[way & 15] >= far && beside >= sl_min(far, 0.9f);
}

SL_FN int navigation_bot_way_to(float x, float z) {
    int best = 0;
    float most = -2.0f;
    for (int k = 0; k < NAVIGATION_RAYS; k++) {
        float along = x * NAVIGATION_RAY_X[k] + z * NAVIGATION_RAY_Z[k];
        if (along > most) { most = along; best = k; }
    }
    return best;
}

// A direction of the world as commands, off the walls that are too near, the head turning slowly into it.
SL_FN void navigation_bot_go(const NavigationObservation *o, float x, float z, float pace, float *action) {
    for (int k = 0; k < NAVIGATION_RAYS; k++) {
        float near_by = sl_max(0.75f - o->rays[k], 0.0f);
        x -= 1.5f * near_by * NAVIGATION_RAY_X[k];
        z -= 1.5f * near_by * NAVIGATION_RAY_Z[k];
    }
    float l = sl_max(sl_sqrt(x * x + z * z), 1e-6f);
    float sy = o->rotation[1], cy = o->rotation[3], norm = sl_max(sy * sy + cy * cy, 1e-6f);
    float s = (2.0f * sy * cy) / norm, c = (cy * cy - sy * sy) / norm;      // of the yaw
    x = (x / l) * pace;
    z = (z / l) * pace;
    action[0] = sl_clamp(x * c - z * s, -1.0f, 1.0f);
    action[1] = sl_clamp(-(x * s) - z * c, -1.0f, 1.0f);
    action[2] = sl_clamp(0.6f * action[0], -0.5f, 0.5f);
}

// Rooms are the cells in odd columns and rows: no post and no wall ever stands there.
SL_FN int navigation_bot_been(const float *memory, int room) {
    if (room >= NAVIGATION_BOT_MARKS) return 0;
    return ((int)memory[NAVIGATION_MEMO_SEEN + room / NAVIGATION_BOT_BITS] >> (room % NAVIGATION_BOT_BITS)) & 1;
}

SL_FN void navigation_bot_remember(float *memory, int room) {
    if (room >= NAVIGATION_BOT_MARKS || navigation_bot_been(memory, room)) return;
    memory[NAVIGATION_MEMO_SEEN + room / NAVIGATION_BOT_BITS] += (float)(1 << (room % NAVIGATION_BOT_BITS));
}

SL_FN int navigation_bot_room_at(const NavigationRules *r, float x, float z) {
    int i = sl_imin(navigation_cell(r, x) | 1, r->cells - 2), j = sl_imin(navigation_cell(r, z) | 1, r->cells - 2);
    return (j / 2) * (r->cells / 2) + i / 2;
}

// The open neighbour that is nearest to the goal among those not seen yet; one drawn at random when all are.
SL_FN int navigation_bot_next_room(const NavigationRules *r, const NavigationObservation *o, int level, float *memory, int room) {
    int side = r->cells / 2, open[4], count = 0, best = -1;
    float least = 1e9f;
    SlRng rng;
    for (int way = 0; way < 4; way++) {                     // +X, +Z, -X, -Z: rays 0, 4, 8, 12
        if (o->rays[4 * way] < 2.0f * NAVIGATION_CELL + 0.1f) continue;
        int next = room + (way == 0 ? 1 : way == 1 ? side : way == 2 ? -1 : -side);
        float x = o->goal[0] - 2.0f * NAVIGATION_CELL * NAVIGATION_RAY_X[4 * way], z = o->goal[2] - 2.0f * NAVIGATION_CELL * NAVIGATION_RAY_Z[4 * way];
        float far = sl_sqrt(x * x + z * z);
        open[count++] = next;
        if (level >= 2 && navigation_bot_been(memory, next)) continue;
        if (far < least) { least = far; best = next; }
    }
    if (best >= 0 || count == 0) return best >= 0 ? best : room;
    sl_copy(&rng.state, memory, sizeof rng.state);
    best = open[sl_integer_in(&rng, 0, count - 1)];
    sl_copy(memory, &rng.state, sizeof rng.state);
    return best;
}

// Straight to a goal that is in sight, else from room to room toward it, and not twice into the same one if possible.
SL_FN void navigation_bot_pathfollower(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory,
                                       void *action) {
    const NavigationRules *r = (const NavigationRules *)rules;
    const NavigationObservation *o = (const NavigationObservation *)observation;
    int way = navigation_bot_way_to(o->goal_direction[0], o->goal_direction[2]), side = r->cells / 2;
    (void)mask;
    if (o->goal_distance < 1.3f || (o->goal_distance < 5.0f && navigation_bot_clear(o->rays, way, o->goal_distance - 0.6f))) {
        memory[NAVIGATION_MEMO_ROOM] = 0.0f;
        navigation_bot_go(o, o->goal_direction[0], o->goal_direction[2], NAVIGATION_BOT_PACE, (float *)action);
        return;
    }
    if (memory[NAVIGATION_MEMO_ROOM] == 0.0f) memory[NAVIGATION_MEMO_ROOM] = 1.0f + (float)navigation_bot_room_at(r, o->position[0], o->position[2]);
    int room = (int)memory[NAVIGATION_MEMO_ROOM] - 1;
    float x = navigation_middle(r, 2 * (room % side) + 1) - o->position[0], z = navigation_middle(r, 2 * (room / side) + 1) - o->position[2];
    if (x * x + z * z < 0.25f * 0.25f) {
        navigation_bot_remember(memory, room);
        int next = navigation_bot_next_room(r, o, level, memory, room);
        x += 2.0f * NAVIGATION_CELL * (float)(next % side - room % side);
        z += 2.0f * NAVIGATION_CELL * (float)(next / side - room / side);
        memory[NAVIGATION_MEMO_ROOM] = 1.0f + (float)next;
    }
    float near_by = sl_min(sl_sqrt(x * x + z * z) + 0.3f, 1.0f);        // slower at a corner
    navigation_bot_go(o, x, z, NAVIGATION_BOT_PACE * near_by, (float *)action);
}

SL_FN void navigation_bot_greedy(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action) {
    const NavigationObservation *o = (const NavigationObservation *)observation;
    (void)rules;
    (void)level;
    (void)mask;
    (void)memory;
    navigation_bot_go(o, o->goal_direction[0], o->goal_direction[2], 1.0f, (float *)action);
}

SL_FN void navigation_bot_idle(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action) {
    (void)rules;
    (void)level;
    (void)observation;
    (void)mask;
    (void)memory;
    for (int i = 0; i < 3; i++) ((float *)action)[i] = 0.0f;
}

SL_FN void navigation_bot_random(const void *rules, int level, const float *observation, const uint8_t *mask, float *memory, void *action) {
    SlRng rng;
    (void)rules;
    (void)level;
    (void)observation;
    (void)mask;
    sl_copy(&rng.state, memory, sizeof rng.state);
    for (int i = 0; i < 3; i++) ((float *)action)[i] = sl_clamp(sl_uniform_in(&rng, -1.0f, 1.0f), -1.0f, 1.0f);
    sl_copy(memory, &rng.state, sizeof rng.state);
}

SL_HOST_TABLE SlBot NAVIGATION_BOTS[] = {
    { "pathfollower", 2, "walker", navigation_bot_pathfollower,
      "goes from cell to cell toward the goal and remembers where it has been; the lower level does not" },
    { "greedy_goal", 1, "walker", navigation_bot_greedy, "goes straight to the goal at full speed and slides along what is in the way" },
    { "idle", 1, "walker", navigation_bot_idle, "stands still" },
    { "random", 1, "walker", navigation_bot_random, "every action drawn anew in every step" },
};
