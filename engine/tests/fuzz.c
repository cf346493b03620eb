// fuzz.c: calls the C API with random arguments. Bytes become a game, settings, a batch and a list of calls, good
// and bad ones mixed. The sanitizers watch for crashes; this file checks what the API promises: a refusal has a
// reason and moves nothing, a damaged snapshot is refused, a good one comes back whole, every number is finite.
//
//   engine_fuzz [ROUNDS] [SEED]        a fixed series of rounds; the same arguments give the same calls
//   clang -fsanitize=fuzzer,address,undefined -DSL_LIBFUZZER … makes it a libFuzzer target
#include "spec.h"

#include "../common/rng.h"

#define FUZZ_BYTES 4096         // of one round: up to some hundred calls
#define FUZZ_WORLDS 20
#define FUZZ_THREADS 3

typedef struct { const uint8_t *data; size_t left; } Bytes;

typedef struct {
    Spec spec;
    const char *game;
    SlBatch *batch;
    SlBuffers arrays;
    float *memory;              // of bots
    int worlds, rows, autoreset;
} Fuzz;

static void must(int good, const char *promise) {
    if (good) return;
    fprintf(stderr, "broken promise: %s (last refusal: %s)\n", promise, sl_why());
    abort();
}

// ---------------------------------------------------------------- bytes into choices

static uint32_t take(Bytes *bytes, int count) {
    uint32_t value = 0;
    for (; count && bytes->left; count--, bytes->left--) value = value << 8 | *bytes->data++;
    return value;
}

static int pick(Bytes *bytes, int choices) { return (int)(take(bytes, 2) % (uint32_t)choices); }

// Numbers that programs trip over.
static double odd_number(Bytes *bytes) {
    double zero = 0.0, huge = 1e308;
    double odd[] = { zero / zero, huge * 10, -huge * 10, -1, 1e18, -1e-9, 0.5, 4294967296.0 };
    return odd[pick(bytes, (int)(sizeof odd / sizeof odd[0]))];
}

static int32_t odd_id(Bytes *bytes, int actions) {
    int32_t odd[] = { -2147483647 - 1, 2147483647, -1, actions, actions + 1, 255, 256, -128 };
    return odd[pick(bytes, (int)(sizeof odd / sizeof odd[0]))];
}

// ---------------------------------------------------------------- settings

// A value within the range of the knob whose JSON entry is at `at`; ends of the range come often.
static double value_in_range(Bytes *bytes, const char *at) {
    double low = strtod(spec_find(at, "low"), NULL), high = strtod(spec_find(at, "high"), NULL);
    int whole = strncmp(spec_find(at, "kind"), "\"float\"", 7) != 0;
    int way = pick(bytes, 4);
    if (way < 2) return way ? high : low;
    double value = low + (high - low) * (double)take(bytes, 2) / 65535.0;
    return whole ? (double)(int64_t)value : value;
}

// Changes about one knob in `spread`; returns 1 if one of them was set out of range on purpose.
static int scramble_knobs(Bytes *bytes, Spec *spec, int spread) {
    const char *at = spec_find(spec->json, "knobs"), *end = spec_list_end(at);
    int spoiled = 0, spoil = pick(bytes, 4) == 0;
    for (int i = 0; (at = spec_next_entry(at, end)); i++, at++) {
        if (pick(bytes, spread)) continue;
        double value = value_in_range(bytes, at);
        if (spoil) {
            double high = strtod(spec_find(at, "high"), NULL);
            value = pick(bytes, 2) ? high + 1 + high * high : odd_number(bytes) * 0.0 / 0.0;
            spoiled = 1;
        }
        spec->knobs[i] = value;
    }
    return spoiled;
}

// ---------------------------------------------------------------- a batch's life

static void *room(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    must(memory != NULL, "there is memory to fuzz with");
    return memory;
}

static void allocate(Fuzz *f) {
    const Spec *s = &f->spec;
    size_t rows = (size_t)f->rows;
    f->arrays.observations = (float *)room(rows * (size_t)s->observation, 4);
    f->arrays.final_observations = (float *)room(rows * (size_t)s->observation, 4);
    f->arrays.actions = room(rows * (size_t)s->action_size, 4);
    f->arrays.rewards = (float *)room(rows, 4);
    f->arrays.terminated = (uint8_t *)room(rows, 1);
    f->arrays.truncated = (uint8_t *)room(rows, 1);
    f->arrays.masks = s->masked ? (uint8_t *)room(rows * (size_t)s->actions, 1) : NULL;
    f->arrays.ticks = (int32_t *)room(rows, 4);
    f->memory = (float *)room(rows * (size_t)sl_bot_memory(), sizeof(float));
}

static void close_fuzz(Fuzz *f) {
    SlBuffers *a = &f->arrays;
    void *all[] = { a->observations, a->final_observations, a->actions, a->rewards, a->terminated, a->truncated,
                    a->masks, a->ticks, f->memory, f->spec.json };
    sl_destroy(f->batch);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

// Returns 0 when the settings were refused, which must then have a reason.
static int open_fuzz(Fuzz *f, Bytes *bytes) {
    memset(f, 0, sizeof *f);
    f->game = sl_game_name(pick(bytes, sl_game_count()));
    f->worlds = 1 + pick(bytes, FUZZ_WORLDS);
    f->autoreset = pick(bytes, 3) > 0;
    spec_open(&f->spec, f->game, pick(bytes, 2));
    int spoiled = pick(bytes, 2) ? scramble_knobs(bytes, &f->spec, 2 + pick(bytes, 40)) : 0;
    f->batch = sl_create(f->game, f->spec.knobs, f->spec.knob_count, f->worlds, 1 + pick(bytes, FUZZ_THREADS), f->autoreset);
    must(!(spoiled && f->batch), "a setting out of range is refused");
    must(f->batch || sl_why()[0], "a refusal has a reason");
    if (!f->batch) { free(f->spec.json); return 0; }
    spec_close(&f->spec, f->game);
    f->rows = f->worlds * f->spec.agents;
    allocate(f);
    return 1;
}

// ---------------------------------------------------------------- good calls

static void check_finite(const float *values, size_t count, const char *promise) {
    for (size_t i = 0; i < count; i++) must(sl_finite(values[i]), promise);
}

static void check_outputs(const Fuzz *f) {
    size_t rows = (size_t)f->rows;
    check_finite(f->arrays.observations, rows * (size_t)f->spec.observation, "observations are finite");
    check_finite(f->arrays.rewards, rows, "rewards are finite");
    for (size_t row = 0; row < rows; row++)
        must(f->arrays.terminated[row] <= 1 && f->arrays.truncated[row] <= 1, "flags are 0 or 1");
}

static void reset(Fuzz *f, Bytes *bytes, int all) {
    uint64_t seeds[FUZZ_WORLDS];
    uint8_t which[FUZZ_WORLDS];
    for (int i = 0; i < f->worlds; i++) {
        seeds[i] = take(bytes, 1) * 0x0101010101010101ull;
        which[i] = (uint8_t)pick(bytes, 2);
    }
    must(sl_reset(f->batch, seeds, all ? NULL : which) == SL_OK, "a reset with seeds is accepted");
    check_outputs(f);
}

static void fill_actions(Fuzz *f, Bytes *bytes) {
    int total = f->rows * f->spec.action_size;
    int32_t *ids = (int32_t *)f->arrays.actions;
    float *moves = (float *)f->arrays.actions;
    for (int i = 0; i < total; i++) {
        if (!f->spec.actions) moves[i] = (float)(int8_t)take(bytes, 1) / 128.0f;
        else ids[i] = pick(bytes, 8) ? pick(bytes, f->spec.actions) : odd_id(bytes, f->spec.actions);
    }
}

static int has_ended(const Fuzz *f) {
    for (int row = 0; row < f->rows; row++)
        if (f->arrays.terminated[row] | f->arrays.truncated[row]) return 1;
    return 0;
}

static void step(Fuzz *f, Bytes *bytes) {
    fill_actions(f, bytes);
    int result = sl_step(f->batch);
    must(result >= 0 || !f->autoreset || result == SL_NOT_RESET, "good actions are accepted by living worlds");
    if (result >= 0) check_outputs(f);
    if (!f->autoreset && (result == SL_NOT_RESET || has_ended(f))) reset(f, bytes, 1);
}

static void play_bot(Fuzz *f, Bytes *bytes) {
    int bot = pick(bytes, f->spec.bot_count), level = 1 + pick(bytes, f->spec.bot_levels[bot]);
    must(sl_bot_start(take(bytes, 4), f->memory, f->rows) == SL_OK, "bots start");
    for (int i = 0; i < 4; i++) {
        must(sl_bot_act(f->batch, bot, level, f->arrays.observations, f->arrays.masks, f->memory, f->arrays.actions, f->rows) >= 0, "bots act");
        int result = sl_step(f->batch);
        must(result >= 0 || result == SL_NOT_RESET, "what bots do is legal");
        if (!f->autoreset && (result == SL_NOT_RESET || has_ended(f))) reset(f, bytes, 1);
    }
    check_outputs(f);
}

static uint64_t hash_of(const Fuzz *f, int world) {
    uint64_t hash = 0;
    must(sl_hash(f->batch, world, &hash) == SL_OK, "a world that was reset has a hash");
    return hash;
}

static void look_inside(Fuzz *f, Bytes *bytes) {
    int world = pick(bytes, f->worlds), kinds[16];
    float values[16 * 4], *block = (float *)room(65536, sizeof(float));
    must(sl_info(f->batch, world, block) == SL_OK, "info is given");
    check_finite(block, (size_t)f->spec.info, "info is finite");
    must(sl_render(f->batch, world, block) == SL_OK, "render is given");
    check_finite(block, (size_t)spec_number(strstr(f->spec.json, "\"shape\":{"), "render"), "render is finite");
    int count = sl_events(f->batch, world, kinds, values, pick(bytes, 17));
    must(count >= 0 && count <= 16, "events fit");
    check_finite(values, (size_t)count * 4, "events are finite");
    free(block);
}

static void fetch_finished(Fuzz *f, Bytes *bytes) {
    SlEpisodeHead heads[4];
    float *values = (float *)room(4 * 4096, sizeof(float));
    int64_t waiting = sl_finished_waiting(f->batch), room_for = pick(bytes, 5);
    int64_t taken = sl_finished(f->batch, heads, values, room_for);
    must(taken == (waiting < room_for ? waiting : room_for), "finished episodes come as far as there is room");
    must(sl_finished_waiting(f->batch) == waiting - taken, "what was fetched is gone");
    free(values);
}

static void fork_world(Fuzz *f, Bytes *bytes) {
    int from = pick(bytes, f->worlds), to = pick(bytes, f->worlds);
    int64_t size = sl_snapshot_size(f->batch);
    unsigned char *state = (unsigned char *)room((size_t)size, 1);
    must(sl_snapshot(f->batch, from, state) == SL_OK, "a world that was reset can be kept");
    uint64_t hash = hash_of(f, from), other = hash_of(f, to);
    state[take(bytes, 4) % (uint64_t)size] ^= (unsigned char)(1u << pick(bytes, 8));
    must(sl_restore(f->batch, to, state, size) == SL_BAD_SNAPSHOT, "a damaged snapshot is refused");
    must(hash_of(f, to) == other, "a refused snapshot changes nothing");
    must(sl_restore(f->batch, to, state, size - 1) == SL_BAD_SNAPSHOT, "a short snapshot is refused");
    must(sl_snapshot(f->batch, from, state) == SL_OK && sl_restore(f->batch, to, state, size) == SL_OK, "a good one is taken");
    must(hash_of(f, to) == hash, "a restored world is the one that was kept");
    check_outputs(f);
    free(state);
}

// ---------------------------------------------------------------- bad calls

static void step_badly(Fuzz *f, Bytes *bytes) {
    if (f->spec.actions) return;        // a discrete game has a rule for every id
    fill_actions(f, bytes);
    uint64_t before = hash_of(f, 0);
    float bad = (float)odd_number(bytes);
    int at = pick(bytes, f->rows * f->spec.action_size);
    if (bad >= -1.0f && bad <= 1.0f) bad = 1.0000001f;
    ((float *)f->arrays.actions)[at] = bad;
    int result = sl_step(f->batch);
    must(result == SL_BAD_ACTION || result == SL_NOT_RESET, "an action outside -1..1 is refused");
    must(hash_of(f, 0) == before, "a refused action moves nothing");
}

static void ask_nonsense(Fuzz *f, Bytes *bytes) {
    int beyond = pick(bytes, 2) ? f->worlds + pick(bytes, 9) : -1 - pick(bytes, 9);
    uint64_t hash;
    float few[4];
    int32_t kinds[1];
    must(sl_hash(f->batch, beyond, &hash) == SL_BAD_ARGUMENT, "a world outside the batch is refused");
    must(sl_info(f->batch, beyond, few) == SL_BAD_ARGUMENT, "a world outside the batch is refused");
    must(sl_render(f->batch, 0, NULL) == SL_BAD_ARGUMENT, "a null array is refused");
    must(sl_snapshot(f->batch, 0, NULL) == SL_BAD_ARGUMENT, "a null snapshot is refused");
    must(sl_restore(f->batch, 0, NULL, 8) < 0 && sl_restore(f->batch, beyond, few, 8) < 0, "a null snapshot is refused");
    must(sl_events(f->batch, 0, kinds, few, -1) < 0 && sl_events(f->batch, 0, NULL, few, 1) < 0, "events need room");
    must(sl_reset(f->batch, NULL, NULL) < 0 && sl_bind(f->batch, NULL) < 0, "null arrays are refused");
    must(sl_finished(f->batch, NULL, few, 1) < 0, "null arrays are refused");
    must(sl_bot_act(f->batch, f->spec.bot_count, 1, few, NULL, few, few, 0) < 0, "a bot that is not there is refused");
    must(sl_bot_act(f->batch, 0, f->spec.bot_levels[0] + 1, few, NULL, few, few, 0) < 0, "a level that is not there is refused");
    must(sl_bot_act(f->batch, 0, 0, few, NULL, few, few, 0) < 0, "a level that is not there is refused");
    must(sl_bot_start(1, NULL, 1) < 0 && sl_run(f->batch, NULL, 1) < 0, "null arrays are refused");
}

// No batch at all, no game of that name, counts that cannot be.
static void ask_nobody(Bytes *bytes) {
    const char *game = sl_game_name(0);
    double knob = odd_number(bytes);
    uint64_t hash;
    must(!sl_create("chess", NULL, 0, 1, 1, 1) && !sl_create(NULL, NULL, 0, 1, 1, 1), "an unknown game is refused");
    must(!sl_create(game, NULL, 0, 0, 1, 1) && !sl_create(game, NULL, 0, -pick(bytes, 99), 1, 1), "no worlds are refused");
    must(!sl_create(game, NULL, 0, 2147483647, 1, 1) && !sl_create(game, NULL, 0, 1, 0, 1), "too many worlds, no threads");
    must(!sl_create(game, &knob, 1, 1, 1, 1), "a wrong number of settings is refused");
    must(sl_step(NULL) < 0 && sl_reset(NULL, &hash, NULL) < 0 && sl_hash(NULL, 0, &hash) < 0, "no batch is refused");
    must(sl_snapshot_size(NULL) == 0 && sl_finished_waiting(NULL) == 0, "no batch has nothing");
    must(!sl_game_name(-1) && !sl_game_name(sl_game_count()), "there is no such game");
    must(sl_describe(game, NULL, 0, NULL, 5) < 0 && sl_describe(game, NULL, 0, NULL, -1) < 0, "a buffer of no room is refused");
    sl_destroy(NULL);
}

// A buffer too small is filled to its end and no further; the sanitizer sees the rest.
static void describe_small(Fuzz *f, Bytes *bytes) {
    int64_t size = (int64_t)strlen(f->spec.json), small = (int64_t)(take(bytes, 2) % (uint64_t)size);
    char *out = (char *)room((size_t)small, 1);
    must(sl_describe(f->game, f->spec.knobs, f->spec.knob_count, out, small) == size, "describe says what it needs");
    must(!memcmp(out, f->spec.json, (size_t)small), "and writes what fits");
    free(out);
}

// ---------------------------------------------------------------- rounds

static void play_round(Fuzz *f, Bytes *bytes) {
    must(sl_step(f->batch) == SL_NOT_BOUND, "a step before bind is refused");
    must(sl_bind(f->batch, &f->arrays) == SL_OK, "arrays are taken");
    must(sl_step(f->batch) == SL_NOT_RESET, "a step before reset is refused");
    reset(f, bytes, 1);
    while (bytes->left) {
        switch (pick(bytes, 16)) {
        case 0: reset(f, bytes, pick(bytes, 2)); break;
        case 1: fork_world(f, bytes); break;
        case 2: step_badly(f, bytes); break;
        case 3: ask_nonsense(f, bytes); break;
        case 4: describe_small(f, bytes); break;
        case 5: look_inside(f, bytes); break;
        case 6: fetch_finished(f, bytes); break;
        case 7: must(sl_bind(f->batch, &f->arrays) == SL_OK, "arrays may be bound again"); break;
        case 8: case 9: if (f->spec.bot_count) play_bot(f, bytes); break;
        default: step(f, bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Bytes bytes = { data, size };
    Fuzz fuzz;
    ask_nobody(&bytes);
    if (!open_fuzz(&fuzz, &bytes)) return 0;
    play_round(&fuzz, &bytes);
    close_fuzz(&fuzz);
    return 0;
}

#if !defined(SL_LIBFUZZER)
int main(int argc, char **argv) {
    static uint8_t data[FUZZ_BYTES];
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    SlRng rng;
    sl_rng_seed(&rng, argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < FUZZ_BYTES; i++) data[i] = (uint8_t)sl_rng_next(&rng);
        LLVMFuzzerTestOneInput(data, FUZZ_BYTES);
    }
    printf("%d rounds, no promise broken\n", rounds);
    return 0;
}
#endif
