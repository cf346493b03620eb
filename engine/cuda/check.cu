// check.cu: plays the same games on the CPU (through the C API) and on the GPU, and compares every byte of
// state and output after every step.
//
//   nvcc FLAGS engine/cuda/engine.cu engine/cuda/check.cu OBJECTS -o check && ./check [WORLDS] [STEPS]
//
// FLAGS: those at the head of engine.cu. OBJECTS: abi.c and each unit.c, compiled by the C compiler.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device.h"
extern "C" {
#include "../common/vector.h"
}

#define CHECK_BOTS 4            // every game has as many; rows 2 and 3 of four are played by them
#define CHECK_STACK 65536       // bytes a GPU thread may need: generating a belt is deep

typedef struct {
    const char *game;
    void (*reset)(const SlDeviceBatch *, const uint64_t *, const uint8_t *);
    void (*step)(const SlDeviceBatch *);
} Side;

typedef struct {
    SlBatch *cpu;
    SlBuffers arrays;           // of the host
    SlDeviceBatch gpu;
    uint64_t *seeds, *gpu_seeds;
    uint8_t *which, *gpu_which; // worlds to reset
    float *memory;              // of bots
    SlRng rng;
    size_t rows;
} Match;

static void must(cudaError_t result) {
    if (result == cudaSuccess) return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    exit(2);
}

static void *on_gpu(size_t bytes) {
    void *memory;
    must(cudaMalloc(&memory, bytes + 1));
    must(cudaMemset(memory, 0, bytes + 1));
    return memory;
}

static void *on_host(size_t bytes) {
    void *memory = calloc(bytes + 1, 1);
    if (!memory) exit(2);
    return memory;
}

static void send(const void *to, const void *from, size_t bytes) {
    must(cudaMemcpy((void *)to, from, bytes, cudaMemcpyHostToDevice));
}

// ---------------------------------------------------------------- both sides

static void open_host(Match *m) {
    const SlShape *s = &m->cpu->shape;
    m->arrays.observations = (float *)on_host(m->rows * s->observation * 4);
    m->arrays.final_observations = (float *)on_host(m->rows * s->observation * 4);
    m->arrays.actions = on_host(m->rows * s->action_size * 4);
    m->arrays.rewards = (float *)on_host(m->rows * 4);
    m->arrays.terminated = (uint8_t *)on_host(m->rows);
    m->arrays.truncated = (uint8_t *)on_host(m->rows);
    m->arrays.masks = (uint8_t *)on_host(m->rows * s->actions);
    m->arrays.ticks = (int32_t *)on_host(m->rows * 4);
    m->memory = (float *)on_host(m->rows * SL_BOT_MEMORY * sizeof(float));
    sl_bot_start(1, m->memory, (int64_t)m->rows);
    sl_bind(m->cpu, &m->arrays);
}

static void open_gpu(Match *m) {
    const SlShape *s = &m->cpu->shape;
    SlDeviceBatch *g = &m->gpu;
    void *rules = on_gpu(m->cpu->game->rules_size);
    send(rules, m->cpu->rules, m->cpu->game->rules_size);
    g->rules = rules;
    g->stride = m->cpu->stride;
    g->shape = *s;
    g->count = m->cpu->count;
    g->worlds = (char *)on_gpu((size_t)g->count * g->stride);
    g->observations = (float *)on_gpu(m->rows * s->observation * 4);
    g->rewards = (float *)on_gpu(m->rows * 4);
    g->terminated = (uint8_t *)on_gpu(m->rows);
    g->truncated = (uint8_t *)on_gpu(m->rows);
    g->masks = (uint8_t *)on_gpu(m->rows * s->actions);
    g->ticks = (int32_t *)on_gpu(m->rows * 4);
    g->actions = on_gpu(m->rows * s->action_size * 4);
    m->gpu_seeds = (uint64_t *)on_gpu((size_t)g->count * 8);
    m->gpu_which = (uint8_t *)on_gpu((size_t)g->count);
}

static void open_match(Match *m, const char *game, int worlds) {
    memset(m, 0, sizeof *m);
    m->cpu = sl_create(game, NULL, 0, worlds, 1, 0);
    if (!m->cpu) { fprintf(stderr, "%s\n", sl_why()); exit(2); }
    m->rows = (size_t)worlds * (size_t)m->cpu->shape.agents;
    m->seeds = (uint64_t *)on_host((size_t)worlds * 8);
    m->which = (uint8_t *)on_host((size_t)worlds);
    sl_rng_seed(&m->rng, 9);
    open_host(m);
    open_gpu(m);
    for (int world = 0; world < worlds; world++) {
        m->seeds[world] = (uint64_t)world;
        m->which[world] = 1;
    }
}

// Worlds marked in `which` begin anew on both sides.
static void reset(Match *m, const Side *side) {
    sl_reset(m->cpu, m->seeds, m->which);
    send(m->gpu_seeds, m->seeds, (size_t)m->gpu.count * 8);
    send(m->gpu_which, m->which, (size_t)m->gpu.count);
    side->reset(&m->gpu, m->gpu_seeds, m->gpu_which);
    must(cudaDeviceSynchronize());
}

// Returns how many ended.
static int mark_ended(Match *m) {
    int ended = 0;
    for (int world = 0; world < m->gpu.count; world++) {
        size_t row = (size_t)world * (size_t)m->gpu.shape.agents;
        m->which[world] = m->arrays.terminated[row] | m->arrays.truncated[row];
        m->seeds[world] += m->which[world] ? (uint64_t)m->gpu.count : 0u;
        ended += m->which[world];
    }
    return ended;
}

// ---------------------------------------------------------------- actions

static void choose(Match *m, size_t row) {
    const SlShape *s = &m->gpu.shape;
    char *action = (char *)m->arrays.actions + row * (size_t)s->action_size * 4u;
    if (row % 4 > 1) {
        sl_bot_act(m->cpu, (int)(row / 4 % CHECK_BOTS), 1, m->arrays.observations + row * (size_t)s->observation,
                   s->masked ? m->arrays.masks + row * (size_t)s->actions : NULL, m->memory + row * SL_BOT_MEMORY, action, 1);
    } else if (s->actions) {
        *(int32_t *)action = sl_integer_in(&m->rng, -6, s->actions + 5);
    } else {
        for (int i = 0; i < s->action_size; i++) ((float *)action)[i] = sl_uniform_in(&m->rng, -1.0f, 1.0f);
    }
}

static void step(Match *m, const Side *side) {
    for (size_t row = 0; row < m->rows; row++) choose(m, row);
    send(m->gpu.actions, m->arrays.actions, m->rows * (size_t)m->gpu.shape.action_size * 4);
    if (sl_step(m->cpu) < 0) { fprintf(stderr, "%s\n", sl_why()); exit(2); }
    side->step(&m->gpu);
    must(cudaDeviceSynchronize());
}

// ---------------------------------------------------------------- comparing

static int differs(const char *what, int step_number, const void *host, const void *device, size_t bytes) {
    char *copy = (char *)on_host(bytes);
    must(cudaMemcpy(copy, device, bytes, cudaMemcpyDeviceToHost));
    size_t at = 0;
    while (at < bytes && copy[at] == ((const char *)host)[at]) at++;
    free(copy);
    if (at < bytes) printf("  step %d: %s differ at byte %zu of %zu\n", step_number, what, at, bytes);
    return at < bytes;
}

static int compare(const Match *m, int n) {
    const SlBuffers *a = &m->arrays;
    const SlDeviceBatch *g = &m->gpu;
    size_t rows = m->rows;
    int bad = differs("states", n, m->cpu->worlds, g->worlds, (size_t)g->count * g->stride);
    bad += differs("observations", n, a->observations, g->observations, rows * (size_t)g->shape.observation * 4);
    bad += differs("masks", n, a->masks, g->masks, rows * (size_t)g->shape.actions * (size_t)g->shape.masked);
    if (n == 0) return bad;     // nothing was stepped yet
    bad += differs("rewards", n, a->rewards, g->rewards, rows * 4);
    bad += differs("endings", n, a->terminated, g->terminated, rows);
    bad += differs("endings by time", n, a->truncated, g->truncated, rows);
    return bad + differs("ticks", n, a->ticks, g->ticks, rows * 4);
}

static int play(const Side *side, int worlds, int steps) {
    Match m;
    open_match(&m, side->game, worlds);
    reset(&m, side);
    int bad = compare(&m, 0), ended = 0, n = 0;
    while (n < steps && !bad) {
        step(&m, side);
        bad = compare(&m, ++n);
        int now = mark_ended(&m);
        ended += now;
        if (now) reset(&m, side);
    }
    printf("%s: %d worlds, %d steps, %d episodes ended: %s\n", side->game, worlds, n, ended, bad ? "DIFFERENT" : "same bits");
    sl_destroy(m.cpu);
    return bad;
}

int main(int argc, char **argv) {
    const Side sides[] = { { "tag", sl_cuda_tag_reset, sl_cuda_tag_step },
                           { "prospector", sl_cuda_prospector_reset, sl_cuda_prospector_step },
                           { "landing", sl_cuda_landing_reset, sl_cuda_landing_step },
                           { "navigation", sl_cuda_navigation_reset, sl_cuda_navigation_step } };
    int worlds = argc > 1 ? atoi(argv[1]) : 512, steps = argc > 2 ? atoi(argv[2]) : 200, bad = 0;
    must(cudaDeviceSetLimit(cudaLimitStackSize, CHECK_STACK));
    for (const Side &side : sides) bad += play(&side, worlds, steps);
    return bad != 0;
}
