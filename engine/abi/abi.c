// abi.c: the C API over the cores. Every argument is checked here, once, so that cores need not; every
// refusal leaves a sentence in sl_why().
#include "sandlot.h"

#include "../common/describe.h"
#include "../common/vector.h"
#include "memory.h"
#include "registry.h"

static SL_THREAD_LOCAL char why_text[SL_WHY_ROOM];
static int level_wanted = -1;   // -1: the machine's best

// ---------------------------------------------------------------- saying why

// Up to four pieces of text; a null piece ends the sentence.
static int refuse(int result, const char *a, const char *b, const char *c, const char *d) {
    const char *pieces[4] = { a, b, c, d };
    SlText t = { why_text, SL_WHY_ROOM - 1, 0, 0, 0 };
    for (int i = 0; i < 4 && pieces[i]; i++) sl_put_raw(&t, pieces[i]);
    why_text[t.used < t.room ? t.used : t.room] = 0;
    return result;
}

// A number as text, in one of four small buffers that take turns.
static const char *number(double x) {
    static SL_THREAD_LOCAL char buffers[4][40];
    static SL_THREAD_LOCAL int turn;
    char *out = buffers[turn = (turn + 1) & 3];
    SlText t = { out, 39, 0, 0, 0 };
    sl_put_number(&t, x);
    out[t.used < 39 ? t.used : 39] = 0;
    return out;
}

const char *sl_why(void) { return why_text; }
int sl_abi_version(void) { return SL_ABI_VERSION; }

// ---------------------------------------------------------------- games

static SlLevel level(void) {
    return level_wanted < 0 ? sl_level_of_machine() : (SlLevel)level_wanted;
}

int sl_use_level(int wanted) {
    if (wanted > (int)sl_level_of_machine())
        return refuse(SL_BAD_ARGUMENT, "this processor does not run the instruction set asked for; use a lower level", 0, 0, 0);
    level_wanted = wanted < 0 ? -1 : wanted;
    return (int)level();
}

const char *sl_build(void) {
    static const char *const names[SL_LEVELS] = { SL_COMPILER " base", SL_COMPILER " x86-64-v3", SL_COMPILER " x86-64-v4" };
    return names[level()];
}

int sl_game_count(void) { return SL_GAME_COUNT; }

const char *sl_game_name(int index) {
    return index >= 0 && index < SL_GAME_COUNT ? SL_REGISTRY[index][0]->name : NULL;
}

static int same_text(const char *a, const char *b) {
    while (*a && *a == *b) { a++; b++; }
    return *a == *b;
}

static const SlGame *find_game(const char *name) {
    for (int i = 0; name && i < SL_GAME_COUNT; i++)
        if (same_text(SL_REGISTRY[i][0]->name, name)) return SL_REGISTRY[i][level()];
    refuse(SL_BAD_GAME, "there is no game called ", name ? name : "(null)", "", 0);
    return NULL;
}

static int check_knob(const SlKnob *knob, double value) {
    int whole = knob->kind != SL_FLOAT;
    if (!(value >= knob->low && value <= knob->high) || (whole && value != (double)(int64_t)value)) {
        refuse(SL_BAD_CONFIG, knob->name, whole ? " must be a whole number from " : " must lie between ",
               number(knob->low), whole ? " to " : " and ");
        SlText t = { why_text, SL_WHY_ROOM - 1, 0, 0, 0 };
        while (t.used < t.room && why_text[t.used]) t.used++;
        sl_put_raw(&t, number(knob->high));
        why_text[t.used < t.room ? t.used : t.room] = 0;
        return SL_BAD_CONFIG;
    }
    return SL_OK;
}

// Knob values (null: the first profile's defaults) into rules. `rules` has game->rules_size bytes.
static int configure(const SlGame *game, const double *knobs, int count, void *rules) {
    double values[SL_MAX_KNOBS];
    if (game->knob_count > SL_MAX_KNOBS) return refuse(SL_BAD_CONFIG, "the game has more knobs than the engine keeps", 0, 0, 0);
    if (knobs && count != game->knob_count)
        return refuse(SL_BAD_CONFIG, game->name, " takes this many knob values: ", number(game->knob_count), 0);
    for (int i = 0; i < game->knob_count; i++) {
        values[i] = knobs ? knobs[i] : game->knobs[i].defaults[0];
        int result = check_knob(&game->knobs[i], values[i]);
        if (result < 0) return result;
    }
    sl_fill(rules, 0, game->rules_size);
    why_text[0] = 0;
    return game->configure(rules, values, why_text, SL_WHY_ROOM) ? SL_BAD_CONFIG : SL_OK;
}

static uint64_t fingerprint_of(const SlGame *game, const double *knobs, const SlShape *shape) {
    uint64_t hash = SL_HASH_START;
    for (const char *c = game->name; *c; c++) hash = sl_hash_word(hash, (uint64_t)(unsigned char)*c);
    for (const char *c = game->version; *c; c++) hash = sl_hash_word(hash, (uint64_t)(unsigned char)*c);
    hash = sl_hash_word(hash, (uint64_t)game->world_size);
    hash = sl_hash_bytes(hash, shape, sizeof *shape);
    for (int i = 0; i < game->knob_count; i++) {
        double value = knobs ? knobs[i] : game->knobs[i].defaults[0];
        hash = sl_hash_bytes(hash, &value, sizeof value);
    }
    return hash;
}

static void describe(SlText *t, const SlGame *game, const double *knobs, const void *rules) {
    SlShape shape;
    game->shape(rules, &shape);
    sl_hash_spec(t, game, knobs, &shape);
    sl_open(t, '{');
    sl_key_string(t, "name", game->name);
    sl_key_string(t, "title", game->title);
    sl_key_string(t, "version", game->version);
    sl_key_string(t, "text", game->text);
    sl_key(t, "profiles");
    sl_open(t, '[');
    for (int i = 0; i < game->profile_count; i++) sl_string(t, game->profiles[i]);
    sl_close(t, ']');
    sl_describe_shape(t, &shape);
    sl_describe_knobs(t, game);
    sl_describe_bots(t, game);
    game->describe(rules, t);
    sl_key_hex(t, "hash", t->hash);
    sl_close(t, '}');
}

int64_t sl_describe(const char *name, const double *knobs, int knob_count, char *out, int64_t room) {
    const SlGame *game = find_game(name);
    if (!game) return SL_BAD_GAME;
    if (room < 0 || (room && !out)) return refuse(SL_BAD_ARGUMENT, "describe needs a buffer, or room 0", 0, 0, 0);
    void *rules = sl_allocate(game->rules_size);
    if (!rules) return refuse(SL_NO_MEMORY, "no memory for the rules of ", game->name, 0, 0);
    int64_t result = configure(game, knobs, knob_count, rules);
    if (result == SL_OK) {
        SlText t = { out, room, 0, 0, 0 };
        describe(&t, game, knobs, rules);
        result = t.used;
    }
    sl_release(rules);
    return result;
}

// ---------------------------------------------------------------- a batch's life

static int allocate_batch(SlBatch *b, int threads) {
    int64_t count = b->count;
    size_t episode = (size_t)b->shape.episode * sizeof(float);
    b->stride = (b->game->world_size + 63u) & ~(size_t)63u;   // whole cache lines: no two threads share one
    b->finished.room = SL_FINISHED_FIRST;
    b->finished.most = SL_FINISHED_MOST > 2 * b->count ? SL_FINISHED_MOST : 2 * b->count;
    b->memory = sl_allocate_many(count * (int64_t)(b->stride / 64u) + 1, 64u);   // one line more, so that they can begin on one
    b->worlds = (char *)(((uintptr_t)b->memory + 63u) & ~(uintptr_t)63u);
    b->heads = (SlHead *)sl_allocate_many(count, sizeof *b->heads);
    b->ended = (uint8_t *)sl_allocate_many(count, 1);
    b->sums = (float *)sl_allocate_many(count, episode);
    b->ended_heads = (SlEpisodeHead *)sl_allocate_many(count, sizeof *b->ended_heads);
    b->finished.heads = (SlEpisodeHead *)sl_allocate_many(b->finished.room, sizeof *b->finished.heads);
    b->finished.values = (float *)sl_allocate_many(b->finished.room, episode);
    int good = b->memory && b->heads && b->ended && b->sums && b->ended_heads
               && b->finished.heads && b->finished.values;
#if !defined(SL_NO_THREADS)
    b->pool.workers = (SlWorker *)sl_allocate_many(threads, sizeof *b->pool.workers);
    good = good && b->pool.workers;
#endif
    if (good) sl_pool_start(&b->pool, threads);
    return good;
}

static SlBatch *check_create(const SlGame *game, int worlds, int threads) {
    if (worlds < 1 || worlds > SL_MAX_WORLDS) {
        refuse(SL_BAD_ARGUMENT, "worlds must be a whole number from 1 to ", number(SL_MAX_WORLDS), 0, 0);
        return NULL;
    }
    if (threads < 1 || threads > SL_MAX_THREADS) {
        refuse(SL_BAD_ARGUMENT, "threads must be a whole number from 1 to ", number(SL_MAX_THREADS), 0, 0);
        return NULL;
    }
    SlBatch *b = (SlBatch *)sl_allocate(sizeof *b);
    if (b) b->rules = sl_allocate(game->rules_size);
    if (b && b->rules) return b;
    refuse(SL_NO_MEMORY, "no memory for the rules of ", game->name, 0, 0);
    sl_release(b);
    return NULL;
}

SlBatch *sl_create(const char *name, const double *knobs, int knob_count, int worlds, int threads, int autoreset) {
    const SlGame *game = find_game(name);
    SlBatch *b = game ? check_create(game, worlds, threads) : NULL;
    if (!b) return NULL;
    b->game = game;
    b->count = worlds;
    b->autoreset = autoreset != 0;
    if (configure(game, knobs, knob_count, b->rules) < 0) { sl_destroy(b); return NULL; }
    game->shape(b->rules, &b->shape);
    b->fingerprint = fingerprint_of(game, knobs, &b->shape);
    if (!allocate_batch(b, threads < worlds ? threads : worlds)) {
        refuse(SL_NO_MEMORY, "no memory for ", number(worlds), " worlds of ", game->name);
        sl_destroy(b);
        return NULL;
    }
    return b;
}

void sl_destroy(SlBatch *b) {
    if (!b) return;
    sl_pool_stop(&b->pool);
#if !defined(SL_NO_THREADS)
    sl_release(b->pool.workers);
#endif
    sl_release(b->finished.values);
    sl_release(b->finished.heads);
    sl_release(b->ended_heads);
    sl_release(b->sums);
    sl_release(b->ended);
    sl_release(b->heads);
    sl_release(b->memory);
    sl_release(b->rules);
    sl_release(b);
}

int sl_bind(SlBatch *b, const SlBuffers *buffers) {
    if (!b || !buffers) return refuse(SL_BAD_ARGUMENT, "bind needs a batch and its buffers", 0, 0, 0);
    const SlBuffers *f = buffers;
    if (!f->observations || !f->final_observations || !f->actions || !f->rewards || !f->terminated || !f->truncated || !f->ticks)
        return refuse(SL_BAD_ARGUMENT, "every array but masks must be there", 0, 0, 0);
    if (b->shape.masked && !f->masks) return refuse(SL_BAD_ARGUMENT, b->game->name, " has masks, so it needs an array for them", 0, 0);
    b->buffers = *buffers;
    b->bound = 1;
    for (int64_t world = 0; world < b->count; world++) {   // new arrays hold no observation yet
        SlView view = sl_view(b, world);
        sl_clear_outputs(b, world, &view);
        if (b->heads[world].state == SL_LIVE) b->game->observe(b->rules, sl_world(b, world), &view);
    }
    return SL_OK;
}

// ---------------------------------------------------------------- reset and step

static int check_bound(const SlBatch *b) {
    if (!b) return refuse(SL_BAD_ARGUMENT, "there is no batch", 0, 0, 0);
    if (!b->bound) return refuse(SL_NOT_BOUND, "bind the arrays before resetting or stepping", 0, 0, 0);
    return SL_OK;
}

typedef struct { SlBatch *batch; const uint64_t *seeds; const uint8_t *which; } SlResetWork;

static void reset_worlds(void *context, int64_t first, int64_t last) {
    const SlResetWork *w = (const SlResetWork *)context;
    for (int64_t world = first; world < last; world++)
        if (!w->which || w->which[world]) sl_reset_world(w->batch, world, w->seeds[world]);
}

int sl_reset(SlBatch *b, const uint64_t *seeds, const uint8_t *which) {
    int result = check_bound(b);
    if (result < 0) return result;
    if (!seeds) return refuse(SL_BAD_ARGUMENT, "reset needs one seed per world", 0, 0, 0);
    SlResetWork work = { b, seeds, which };
    sl_pool_run(&b->pool, reset_worlds, &work, b->count);
    return SL_OK;
}

static void next_episodes(void *context, int64_t first, int64_t last) {
    const SlResetWork *w = (const SlResetWork *)context;
    for (int64_t world = first; world < last; world++)
        if (!w->which || w->which[world]) sl_next_world(w->batch, world);
}

int sl_next_episode(SlBatch *b, const uint8_t *which) {
    int result = check_bound(b);
    if (result < 0) return result;
    for (int64_t world = 0; world < b->count; world++)
        if ((!which || which[world]) && b->heads[world].state == SL_NEVER_RESET)
            return refuse(SL_NOT_RESET, "world ", number((double)world), " was never reset; it has no next episode", 0);
    SlResetWork work = { b, NULL, which };
    sl_pool_run(&b->pool, next_episodes, &work, b->count);
    return SL_OK;
}

// A continuous action must be a number in -1..1. A discrete one may be anything: games have a rule.
static int check_actions(const SlBatch *b) {
    if (b->shape.actions) return SL_OK;
    const float *actions = (const float *)b->buffers.actions;
    int64_t size = b->shape.action_size, total = (int64_t)b->count * b->shape.agents * size;
    int bad = 0;
    for (int64_t i = 0; i < total; i++) bad |= !(actions[i] >= -1.0f) | !(actions[i] <= 1.0f);
    if (SL_LIKELY(!bad)) return SL_OK;
    int64_t i = 0;
    while (actions[i] >= -1.0f && actions[i] <= 1.0f) i++;
    refuse(SL_BAD_ACTION, "row ", number((double)(i / size)), ", entry ", number((double)(i % size)));
    return SL_BAD_ACTION;
}

static int check_live(SlBatch *b) {
    if (b->all_live) return SL_OK;
    for (int64_t world = 0; world < b->count; world++)
        if (b->heads[world].state != SL_LIVE)
            return refuse(SL_NOT_RESET, "world ", number((double)world),
                          b->heads[world].state == SL_ENDED ? " has ended; reset it before stepping on" : " was never reset; reset before stepping", 0);
    b->all_live = b->autoreset;
    return SL_OK;
}

int sl_step(SlBatch *b) {
    int result = check_bound(b);
    if (result >= 0) result = check_live(b);
    if (result >= 0) result = check_actions(b);
    if (result < 0) return result;
    sl_pool_run(&b->pool, sl_step_worlds, b, b->count);
    b->steps++;
    return sl_gather_finished(b);
}

int64_t sl_run(SlBatch *b, const void *actions, int64_t steps) {
    int64_t ended = check_bound(b);
    if (ended < 0) return ended;
    if (!actions || steps < 0) return refuse(SL_BAD_ARGUMENT, "run needs actions for every step", 0, 0, 0);
    size_t block = (size_t)b->count * (size_t)b->shape.agents * (size_t)b->shape.action_size * 4u;
    for (int64_t i = 0; i < steps; i++) {
        sl_copy(b->buffers.actions, (const char *)actions + (size_t)i * block, block);
        int result = sl_step(b);
        if (result < 0) return result;
        ended += result;
    }
    return ended;
}

int64_t sl_finished_waiting(const SlBatch *b) { return b ? b->finished.count : 0; }
int64_t sl_finished_dropped(const SlBatch *b) { return b ? b->finished.dropped : 0; }

int64_t sl_finished(SlBatch *b, SlEpisodeHead *heads, float *values, int64_t room) {
    if (!b || !heads || !values || room < 0) return refuse(SL_BAD_ARGUMENT, "finished needs a batch and two arrays", 0, 0, 0);
    SlFinished *f = &b->finished;
    size_t width = (size_t)b->shape.episode;
    int64_t taken = f->count < room ? f->count : room;
    for (int64_t i = 0; i < taken; i++) {
        int64_t slot = (f->start + i) % f->room;
        heads[i] = f->heads[slot];
        sl_copy(values + (size_t)i * width, f->values + (size_t)slot * width, width * sizeof(float));
    }
    f->start = (f->start + taken) % f->room;
    f->count -= taken;
    return taken;
}

// ---------------------------------------------------------------- looking into one world

static int check_world(const SlBatch *b, int world, const void *out) {
    if (!b || !out) return refuse(SL_BAD_ARGUMENT, "this needs a batch and somewhere to write", 0, 0, 0);
    if (world < 0 || world >= b->count)
        return refuse(SL_BAD_ARGUMENT, "world ", number(world), " is not in this batch of ", number(b->count));
    if (b->heads[world].state == SL_NEVER_RESET)
        return refuse(SL_NOT_RESET, "world ", number(world), " was never reset; reset before looking into it", 0);
    return SL_OK;
}

// A core trusts its world (an index in it is an index), so damaged bytes must not become one.
typedef struct { uint64_t fingerprint, checksum; SlHead head; } SlSnapshotHead;

static uint64_t checksum_of(const SlHead *head, const void *world, size_t bytes) {
    return sl_hash_bytes(sl_hash_bytes(SL_HASH_START, head, sizeof *head), world, bytes);
}

int64_t sl_snapshot_size(const SlBatch *b) {
    return b ? (int64_t)(sizeof(SlSnapshotHead) + b->game->world_size) : 0;
}

int sl_snapshot(const SlBatch *b, int world, void *out) {
    int result = check_world(b, world, out);
    if (result < 0) return result;
    SlSnapshotHead head = { b->fingerprint, checksum_of(&b->heads[world], sl_world(b, world), b->game->world_size), b->heads[world] };
    sl_copy(out, &head, sizeof head);
    sl_copy((char *)out + sizeof head, sl_world(b, world), b->game->world_size);
    return SL_OK;
}

int sl_restore(SlBatch *b, int world, const void *data, int64_t bytes) {
    int result = check_bound(b);
    if (result < 0) return result;
    if (!data || world < 0 || world >= b->count)
        return refuse(SL_BAD_ARGUMENT, "world ", number(world), " is not in this batch of ", number(b->count));
    SlSnapshotHead head;
    if (bytes != sl_snapshot_size(b)) return refuse(SL_BAD_SNAPSHOT, "the snapshot has ", number((double)bytes), " bytes, this game needs ", number((double)sl_snapshot_size(b)));
    sl_copy(&head, data, sizeof head);
    if (head.fingerprint != b->fingerprint)
        return refuse(SL_BAD_SNAPSHOT, "the snapshot is of another game, another version or other settings", 0, 0, 0);
    if (head.checksum != checksum_of(&head.head, (const char *)data + sizeof head, b->game->world_size))
        return refuse(SL_BAD_SNAPSHOT, "the snapshot is damaged: its bytes do not add up to its checksum; take it anew", 0, 0, 0);
    b->heads[world] = head.head;
    b->all_live = b->all_live && head.head.state == SL_LIVE;
    sl_copy(sl_world(b, world), (const char *)data + sizeof head, b->game->world_size);
    SlView view = sl_view(b, world);
    sl_clear_outputs(b, world, &view);
    b->game->observe(b->rules, sl_world(b, world), &view);
    return SL_OK;
}

int64_t sl_rules(const SlBatch *b, void *out, int64_t room) {
    if (!b || room < 0 || (room && !out)) return refuse(SL_BAD_ARGUMENT, "rules need a batch and a buffer, or room 0", 0, 0, 0);
    int64_t bytes = (int64_t)b->game->rules_size;
    sl_copy(out, b->rules, (size_t)(bytes < room ? bytes : room));
    return bytes;
}

int sl_seal(const SlBatch *b, void *snapshot, int64_t bytes) {
    if (!b || !snapshot || bytes != sl_snapshot_size(b))
        return refuse(SL_BAD_ARGUMENT, "sealing needs a batch and a snapshot of its size", 0, 0, 0);
    SlSnapshotHead head;
    sl_copy(&head, snapshot, sizeof head);
    head.fingerprint = b->fingerprint;
    head.checksum = checksum_of(&head.head, (const char *)snapshot + sizeof head, b->game->world_size);
    sl_copy(snapshot, &head, sizeof head);
    return SL_OK;
}

int sl_hash(const SlBatch *b, int world, uint64_t *out) {
    int result = check_world(b, world, out);
    if (result >= 0) *out = sl_hash_bytes(SL_HASH_START, sl_world(b, world), b->game->world_size);
    return result;
}

int sl_info(const SlBatch *b, int world, float *out) {
    int result = check_world(b, world, out);
    if (result >= 0) b->game->info(b->rules, sl_world(b, world), out);
    return result;
}

int sl_render(const SlBatch *b, int world, float *out) {
    int result = check_world(b, world, out);
    if (result >= 0) b->game->render(b->rules, sl_world(b, world), out);
    return result;
}

int sl_events(const SlBatch *b, int world, int32_t *kinds, float *values, int room) {
    SlEvent events[SL_MAX_EVENTS];
    int count = check_world(b, world, kinds);
    if (count < 0) return count;
    if (!values || room < 0) return refuse(SL_BAD_ARGUMENT, "events need two arrays and room for zero or more", 0, 0, 0);
    count = b->game->events(b->rules, sl_world(b, world), events, room < SL_MAX_EVENTS ? room : SL_MAX_EVENTS);
    for (int i = 0; i < count; i++) {
        kinds[i] = events[i].kind;
        sl_copy(values + i * SL_EVENT_VALUES, events[i].values, sizeof events[i].values);
    }
    return count;
}

// ---------------------------------------------------------------- scripted players

int sl_bot_memory(void) { return SL_BOT_MEMORY; }

int sl_bot_start(uint64_t seed, float *memory, int64_t rows) {
    if (!memory || rows < 0) return refuse(SL_BAD_ARGUMENT, "bots need memory", 0, 0, 0);
    sl_fill(memory, 0, (size_t)rows * SL_BOT_MEMORY * sizeof(float));
    for (int64_t row = 0; row < rows; row++) {
        uint64_t state = sl_seed_split(seed, (uint64_t)row);
        sl_copy(memory + row * SL_BOT_MEMORY, &state, sizeof state);
    }
    return SL_OK;
}

typedef struct {
    const SlBatch *batch;
    const SlBot *bot;
    int level;
    const float *observations;
    const uint8_t *masks;
    float *memory;
    char *actions;
} SlBotWork;

static void bot_rows(void *context, int64_t first, int64_t last) {
    const SlBotWork *w = (const SlBotWork *)context;
    const SlShape *s = &w->batch->shape;
    for (int64_t row = first; row < last; row++)
        w->bot->act(w->batch->rules, w->level, w->observations + row * s->observation,
                    w->masks ? w->masks + row * s->actions : NULL, w->memory + row * SL_BOT_MEMORY,
                    w->actions + row * s->action_size * 4);
}

int sl_bot_act(SlBatch *b, int bot, int level_asked, const float *observations, const uint8_t *masks,
               float *memory, void *actions, int64_t rows) {
    if (!b || !observations || !memory || !actions || rows < 0)
        return refuse(SL_BAD_ARGUMENT, "a bot needs a batch, observations, memory and actions", 0, 0, 0);
    if (bot < 0 || bot >= b->game->bot_count)
        return refuse(SL_BAD_ARGUMENT, b->game->name, " has no bot number ", number(bot), 0);
    if (level_asked < 1 || level_asked > b->game->bots[bot].levels)
        return refuse(SL_BAD_ARGUMENT, b->game->bots[bot].name, " has levels 1 to ", number(b->game->bots[bot].levels), 0);
    if (b->shape.masked && !masks) return refuse(SL_BAD_ARGUMENT, b->game->name, "'s bots need the masks", 0, 0);
    SlBotWork work = { b, &b->game->bots[bot], level_asked, observations, masks, memory, (char *)actions };
    sl_pool_run(&b->pool, bot_rows, &work, rows);
    return SL_OK;
}
