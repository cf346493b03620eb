// trace.c: plays seeds with a fixed stream of actions and prints fingerprints of everything that came out.
// Two builds of the engine that print the same text are the same to the last bit. The same program exists in
// JavaScript (engine/wasm/trace.mjs) and in Python (tests/engine/traces.py); tests/golden holds its output.
//
//   engine_trace GAME [--profile N] [--set NAME=NUMBER]... [--first SEED] [--seeds N] [--steps N]
//                     [--every N | --each] [--batch WORLDS] [--threads N] [--level -1|0|1|2]
//   engine_trace GAME --describe       prints what the game says of itself, as JSON
//
// Who acts. World s draws from its own PCG32, seeded by sl_seed_split(s, 1000); s % 4 says how it plays:
//   0      random: a fresh action for every agent and step. Discrete: an id from 6 below the first to 5 above the
//          last (draw % (actions + 12) - 6). Continuous: each entry -1 + 2 * draw / 2^32.
//   1      sensible. With masks: the (draw % legal)-th legal id. Else held: one draw per step, and when it is a
//          multiple of 8, or on the first step, each entry becomes draw % 3 - 1.
//   2, 3   scripted: agent a asks bot (s / 4 + a) % bots at level 1 + (s / 4 / bots) % levels. Memory starts
//          from sl_bot_start(s); its part after the stream is zeroed when an episode ends.
//
// What is printed. Without --each one line per seed: the seed and, after every N steps, a digest that has run over
// all steps so far (reset included). Each step feeds it the state's hash as a word, then as bytes the world's rows
// of observations, rewards, terminated, truncated, ticks, masks, and final observations if the episode ended.
// With --each one line per seed and step: seed, step, state hash, hash of observations, hash of the rest.
#include "spec.h"

#include "../common/hash.h"
#include "../common/rng.h"

#define TRACE_STREAM 1000u      // keeps the actions' stream apart from the world's
#define TRACE_BEYOND 6          // ids below the first and above the last that random play asks for
#define TRACE_HOLD 8u           // steps that a held direction lasts, on average

typedef struct {
    const char *game;
    int profile, batch, threads, level, each;
    uint64_t first, seeds;
    int64_t steps, every;
} Options;

typedef struct {
    uint64_t seed, digest;
    SlRng rng;
} Player;

typedef struct {
    const Options *options;
    const Spec *spec;
    SlBatch *batch;
    SlBuffers arrays;
    float *memory;              // of bots, [rows, sl_bot_memory()]
    Player *players;            // [worlds]
    uint64_t *marks;            // [worlds, steps / every] digests to print
    int worlds;
} Trace;

static void *room(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) spec_fail("no memory for the trace", "");
    return memory;
}

static void check(int64_t result) { if (result < 0) spec_fail("the engine refused: ", sl_why()); }

// ---------------------------------------------------------------- actions

static void play_random(const Spec *spec, SlRng *rng, void *row) {
    if (spec->actions) {
        uint32_t draw = sl_rng_next(rng) % (uint32_t)(spec->actions + 2 * TRACE_BEYOND);
        *(int32_t *)row = (int32_t)draw - TRACE_BEYOND;
        return;
    }
    for (int i = 0; i < spec->action_size; i++) ((float *)row)[i] = sl_uniform_in(rng, -1.0f, 1.0f);
}

static void play_legal(const Spec *spec, SlRng *rng, const uint8_t *mask, int32_t *row) {
    uint32_t legal = 0;
    for (int id = 0; id < spec->actions; id++) legal += mask[id];
    uint32_t left = sl_rng_next(rng) % (legal ? legal : 1u);
    *row = 0;
    for (int id = 0; id < spec->actions; id++)
        if (mask[id] && left-- == 0) *row = id;
}

static void play_held(const Spec *spec, SlRng *rng, int first_step, float *row) {
    if (sl_rng_next(rng) % TRACE_HOLD && !first_step) return;
    for (int i = 0; i < spec->action_size; i++) row[i] = (float)(int)(sl_rng_next(rng) % 3u) - 1.0f;
}

static void play_scripted(Trace *t, uint64_t seed, int agent, int64_t row) {
    const Spec *s = t->spec;
    uint64_t bots = (uint64_t)s->bot_count;
    int bot = (int)((seed / 4 + (uint64_t)agent) % bots);
    int level = 1 + (int)(seed / 4 / bots % (uint64_t)s->bot_levels[bot]);
    check(sl_bot_act(t->batch, bot, level, t->arrays.observations + row * s->observation,
                     s->masked ? t->arrays.masks + row * s->actions : NULL, t->memory + row * sl_bot_memory(),
                     (char *)t->arrays.actions + row * s->action_size * 4, 1));
}

static void choose_actions(Trace *t, int64_t step) {
    const Spec *s = t->spec;
    for (int world = 0; world < t->worlds; world++) {
        Player *player = &t->players[world];
        for (int agent = 0; agent < s->agents; agent++) {
            int64_t row = (int64_t)world * s->agents + agent;
            char *action = (char *)t->arrays.actions + row * s->action_size * 4;
            uint64_t way = player->seed % 4;
            if (way > 1 && s->bot_count) play_scripted(t, player->seed, agent, row);
            else if (way == 0 || (s->actions && !s->masked)) play_random(s, &player->rng, action);
            else if (s->masked) play_legal(s, &player->rng, t->arrays.masks + row * s->actions, (int32_t *)action);
            else play_held(s, &player->rng, step == 0, (float *)action);
        }
    }
}

// ---------------------------------------------------------------- fingerprints

typedef struct { uint64_t state, seen, rest; } Prints;

static uint64_t mix_seen(const Trace *t, int world, uint64_t hash) {
    size_t floats = (size_t)t->spec->agents * (size_t)t->spec->observation;
    return sl_hash_bytes(hash, t->arrays.observations + (size_t)world * floats, floats * 4);
}

static uint64_t mix_rest(const Trace *t, int world, uint64_t hash) {
    const Spec *s = t->spec;
    size_t agents = (size_t)s->agents, row = (size_t)world * agents, floats = agents * (size_t)s->observation;
    hash = sl_hash_bytes(hash, t->arrays.rewards + row, agents * 4);
    hash = sl_hash_bytes(hash, t->arrays.terminated + row, agents);
    hash = sl_hash_bytes(hash, t->arrays.truncated + row, agents);
    hash = sl_hash_bytes(hash, t->arrays.ticks + row, agents * 4);
    if (s->masked) hash = sl_hash_bytes(hash, t->arrays.masks + row * (size_t)s->actions, agents * (size_t)s->actions);
    if (t->arrays.terminated[row] | t->arrays.truncated[row])
        hash = sl_hash_bytes(hash, t->arrays.final_observations + (size_t)world * floats, floats * 4);
    return hash;
}

static uint64_t mix_world(const Trace *t, int world, uint64_t digest) {
    uint64_t state;
    check(sl_hash(t->batch, world, &state));
    return mix_rest(t, world, mix_seen(t, world, sl_hash_word(digest, state)));
}

static void print_world(const Trace *t, int world, int64_t step) {
    uint64_t state;
    check(sl_hash(t->batch, world, &state));
    printf("%llu %lld %016llx %016llx %016llx\n", (unsigned long long)t->players[world].seed, (long long)step,
           (unsigned long long)state, (unsigned long long)mix_seen(t, world, SL_HASH_START),
           (unsigned long long)mix_rest(t, world, SL_HASH_START));
}

// After a reset (step 0) and after every step.
static void look(Trace *t, int64_t step) {
    const Options *o = t->options;
    for (int world = 0; world < t->worlds; world++) {
        if (o->each) { print_world(t, world, step); continue; }
        Player *player = &t->players[world];
        player->digest = mix_world(t, world, player->digest);
        if (step && step % o->every == 0) t->marks[world * (o->steps / o->every) + step / o->every - 1] = player->digest;
    }
}

// ---------------------------------------------------------------- one batch of seeds

static void forget_ended(Trace *t) {
    for (int64_t row = 0; row < (int64_t)t->worlds * t->spec->agents; row++)
        if (t->arrays.terminated[row] | t->arrays.truncated[row])
            memset(t->memory + row * sl_bot_memory() + 2, 0, ((size_t)sl_bot_memory() - 2) * sizeof(float));
}

static void allocate(Trace *t) {
    const Spec *s = t->spec;
    size_t rows = (size_t)t->worlds * (size_t)s->agents;
    t->arrays.observations = (float *)room(rows * (size_t)s->observation, 4);
    t->arrays.final_observations = (float *)room(rows * (size_t)s->observation, 4);
    t->arrays.actions = room(rows * (size_t)s->action_size, 4);
    t->arrays.rewards = (float *)room(rows, 4);
    t->arrays.terminated = (uint8_t *)room(rows, 1);
    t->arrays.truncated = (uint8_t *)room(rows, 1);
    t->arrays.masks = (uint8_t *)room(rows * (size_t)s->actions, 1);
    t->arrays.ticks = (int32_t *)room(rows, 4);
    t->memory = (float *)room(rows * (size_t)sl_bot_memory(), sizeof(float));
    t->players = (Player *)room((size_t)t->worlds, sizeof *t->players);
    t->marks = (uint64_t *)room((size_t)t->worlds * (size_t)(t->options->steps / t->options->every), sizeof(uint64_t));
}

static void release(Trace *t) {
    SlBuffers *a = &t->arrays;
    void *all[] = { a->observations, a->final_observations, a->actions, a->rewards, a->terminated, a->truncated,
                    a->masks, a->ticks, t->memory, t->players, t->marks };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    sl_destroy(t->batch);
}

static void begin(Trace *t, uint64_t first) {
    uint64_t *seeds = (uint64_t *)room((size_t)t->worlds, sizeof *seeds);
    for (int world = 0; world < t->worlds; world++) {
        Player *player = &t->players[world];
        player->seed = seeds[world] = first + (uint64_t)world;
        player->digest = SL_HASH_START;
        sl_rng_seed(&player->rng, sl_seed_split(player->seed, TRACE_STREAM));
        check(sl_bot_start(player->seed, t->memory + (size_t)world * (size_t)t->spec->agents * (size_t)sl_bot_memory(), t->spec->agents));
    }
    check(sl_bind(t->batch, &t->arrays));
    check(sl_reset(t->batch, seeds, NULL));
    free(seeds);
}

static void print_marks(const Trace *t) {
    int64_t count = t->options->steps / t->options->every;
    for (int world = 0; world < t->worlds; world++) {
        printf("%llu", (unsigned long long)t->players[world].seed);
        for (int64_t i = 0; i < count; i++) printf(" %016llx", (unsigned long long)t->marks[world * count + i]);
        printf("\n");
    }
}

static void trace_batch(const Options *options, const Spec *spec, uint64_t first, int worlds) {
    Trace t = { options, spec, NULL, { 0 }, NULL, NULL, NULL, worlds };
    t.batch = sl_create(options->game, spec->knobs, spec->knob_count, worlds, options->threads, 1);
    if (!t.batch) spec_fail(sl_why(), "");
    allocate(&t);
    begin(&t, first);
    look(&t, 0);
    for (int64_t step = 1; step <= options->steps; step++) {
        choose_actions(&t, step - 1);
        check(sl_step(t.batch));
        forget_ended(&t);
        look(&t, step);
    }
    if (!options->each) print_marks(&t);
    release(&t);
}

// ---------------------------------------------------------------- command line

static const char *value_of(int argc, char **argv, int *at) {
    if (*at + 1 >= argc) spec_fail("a value is missing after ", argv[*at]);
    return argv[++*at];
}

static void read_options(Options *o, int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--each")) { o->each = 1; continue; }
        const char *name = argv[i], *value = value_of(argc, argv, &i);
        if (!strcmp(name, "--profile")) o->profile = atoi(value);
        else if (!strcmp(name, "--first")) o->first = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--seeds")) o->seeds = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--steps")) o->steps = atoll(value);
        else if (!strcmp(name, "--every")) o->every = atoll(value);
        else if (!strcmp(name, "--batch")) o->batch = atoi(value);
        else if (!strcmp(name, "--threads")) o->threads = atoi(value);
        else if (!strcmp(name, "--level")) o->level = atoi(value);
        else if (strcmp(name, "--set")) spec_fail("unknown option ", name);
    }
    if (o->batch < 1 || o->every < 1 || o->steps < 0) spec_fail("batch and every must be 1 or more, steps 0 or more", "");
}

int main(int argc, char **argv) {
    Options options = { argc > 1 ? argv[1] : "", 0, 64, 1, -1, 0, 0, 1, 100, 25 };
    Spec spec;
    if (argc < 2) spec_fail("usage: engine_trace GAME [options]; the head of engine/tests/trace.c explains them", "");
    if (argc == 3 && !strcmp(argv[2], "--describe")) {
        spec_open(&spec, options.game, 0);
        puts(spec.json);
        free(spec.json);
        return 0;
    }
    read_options(&options, argc, argv);
    if (sl_use_level(options.level) < 0) spec_fail(sl_why(), "");
    spec_open(&spec, options.game, options.profile);
    for (int i = 2; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--set")) spec_set_pair(&spec, argv[i + 1]);
    spec_close(&spec, options.game);
    for (uint64_t done = 0; done < options.seeds; done += (uint64_t)options.batch) {
        uint64_t left = options.seeds - done;
        trace_batch(&options, &spec, options.first + done, left < (uint64_t)options.batch ? (int)left : options.batch);
    }
    free(spec.json);
    return 0;
}
