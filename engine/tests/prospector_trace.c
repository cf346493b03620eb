// prospector_trace.c: plays a file of action bytes and writes one packed record per decision, for comparing with any
// other program that plays the prospector.
//
//   prospector_trace SEED ACTIONS OUTPUT [--profile 0|1] [--set NAME=NUMBER]...
//
// The first episode has SEED; after each ending the next one has SEED + 1, SEED + 2, … A byte above the last action
// is an invalid action, as the game has it. Records, little-endian, without gaps (TRACE_RECORD bytes):
//   t u32 (counted from 0 over all episodes), action u8, dt u16, reward f32, terminated u8, truncated u8, invalid u8,
//   resolved action i16, observation 260 x f32, metrics 13 x f32 (credits … cargo_utilization_avg, in info's order).
#include "spec.h"

#define OBSERVATION 260
#define METRICS 13
#define TRACE_RECORD (4 + 1 + 2 + 4 + 1 + 1 + 1 + 2 + 4 * OBSERVATION + 4 * METRICS)

typedef struct { int action, invalid, metrics, count; } InfoPlaces;     // where in info; count: how long it is

typedef struct {
    float observation[OBSERVATION], final_observation[OBSERVATION], reward;
    int32_t action, ticks;
    uint8_t terminated, truncated, mask[256];
} Arrays;

static void check(int64_t result) { if (result < 0) spec_fail("the engine refused: ", sl_why()); }

static unsigned char *put(unsigned char *to, const void *value, size_t bytes) {
    memcpy(to, value, bytes);
    return to + bytes;
}

static void pack(unsigned char *out, uint32_t t, uint8_t action, const Arrays *a, const float *info, const InfoPlaces *at) {
    uint16_t dt = (uint16_t)a->ticks;
    uint8_t invalid = info[at->invalid] != 0.0f;
    int16_t resolved = (int16_t)info[at->action];
    out = put(out, &t, 4);
    out = put(out, &action, 1);
    out = put(out, &dt, 2);
    out = put(out, &a->reward, 4);
    out = put(out, &a->terminated, 1);
    out = put(out, &a->truncated, 1);
    out = put(out, &invalid, 1);
    out = put(out, &resolved, 2);
    out = put(out, a->observation, sizeof a->observation);
    put(out, info + at->metrics, METRICS * sizeof(float));
}

static InfoPlaces find_places(const Spec *spec) {
    InfoPlaces at = { spec_field(spec, "info", "action"),
                      spec_field(spec, "info", "invalid_action"), spec_field(spec, "info", "credits"), spec->info };
    if (spec_field(spec, "info", "cargo_utilization_avg") != at.metrics + METRICS - 1)
        spec_fail("the thirteen metrics no longer lie together in info", "");
    if (spec->observation != OBSERVATION) spec_fail("the observation no longer has 260 entries", "");
    return at;
}

static SlBatch *start(const Spec *spec, Arrays *a) {
    SlBuffers buffers = { a->observation, a->final_observation, &a->action, &a->reward, &a->terminated, &a->truncated, a->mask, &a->ticks, NULL };
    SlBatch *batch = sl_create("prospector", spec->knobs, spec->knob_count, 1, 1, 0);
    if (!batch) spec_fail(sl_why(), "");
    check(sl_bind(batch, &buffers));
    return batch;
}

// Returns the decisions played.
static uint32_t play(SlBatch *batch, Arrays *a, const InfoPlaces *at, uint64_t seed, FILE *actions, FILE *output) {
    unsigned char record[TRACE_RECORD];
    float *info = (float *)calloc((size_t)at->count, sizeof *info);
    uint32_t t = 0;
    check(sl_reset(batch, &seed, NULL));
    for (int byte; info && (byte = fgetc(actions)) != EOF; t++) {
        a->action = byte;
        check(sl_step(batch));
        check(sl_info(batch, 0, info));
        pack(record, t, (uint8_t)byte, a, info, at);
        if (fwrite(record, sizeof record, 1, output) != 1) spec_fail("the output cannot be written; is the disk full?", "");
        if (!(a->terminated | a->truncated)) continue;
        seed++;
        check(sl_reset(batch, &seed, NULL));
    }
    free(info);
    return t;
}

static FILE *open_file(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) spec_fail("cannot open ", path);
    return file;
}

static void read_settings(Spec *spec, int argc, char **argv) {
    int profile = 0;
    for (int i = 4; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--profile")) profile = atoi(argv[i + 1]);
    spec_open(spec, "prospector", profile);
    for (int i = 4; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--set")) spec_set_pair(spec, argv[i + 1]);
    spec_close(spec, "prospector");
}

int main(int argc, char **argv) {
    static Arrays arrays;
    Spec spec;
    if (argc < 4) spec_fail("usage: prospector_trace SEED ACTIONS OUTPUT [--profile 0|1] [--set NAME=NUMBER]...", "");
    read_settings(&spec, argc, argv);
    InfoPlaces at = find_places(&spec);
    FILE *actions = open_file(argv[2], "rb"), *output = open_file(argv[3], "wb");
    SlBatch *batch = start(&spec, &arrays);
    uint32_t decisions = play(batch, &arrays, &at, strtoull(argv[1], NULL, 10), actions, output);
    sl_destroy(batch);
    fclose(actions);
    if (fclose(output)) spec_fail("the output cannot be written; is the disk full?", "");
    free(spec.json);
    printf("%u decisions, %d bytes each\n", decisions, TRACE_RECORD);
    return 0;
}
