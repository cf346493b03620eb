// sandlot.h: the public C API. A dozen functions through which Python (ctypes), the browser
// (WebAssembly) and anything else use the engine. Plain C types only.
//
// Every function that can fail returns a negative SlResult; sl_why() then holds a sentence. A batch is
// used by one thread at a time; different batches are independent.
#ifndef SANDLOT_H
#define SANDLOT_H

#include <stdint.h>

#if defined(_WIN32)
#define SL_API __declspec(dllexport)
#elif defined(__GNUC__) || defined(__clang__)
#define SL_API __attribute__((visibility("default")))
#else
#define SL_API
#endif

#define SL_ABI_VERSION 2
#define SL_MAX_WORLDS 262144
#define SL_MAX_THREADS 256
#define SL_WHY_ROOM 512

typedef enum {
    SL_OK = 0,
    SL_BAD_GAME = -1,       // no game of that name
    SL_BAD_CONFIG = -2,     // wrong count of knobs, or one out of range
    SL_BAD_ARGUMENT = -3,   // a null pointer, a world outside the batch, a count out of range
    SL_NO_MEMORY = -4,
    SL_NOT_BOUND = -5,      // step or reset before bind
    SL_BAD_ACTION = -6,     // a continuous action that is not a number or outside -1..1; nothing moved
    SL_BAD_SNAPSHOT = -7,   // another game, other rules, another build, or damaged bytes
    SL_NOT_RESET = -8       // a world that was never reset, or ended and does not reset itself
} SlResult;

typedef struct SlBatch SlBatch;

// The caller's arrays, row after row without gaps. They must stay where they are until the next bind
// or destroy. The engine alone writes into everything but `actions`.
typedef struct {
    float *observations;            // [rows, observation]
    float *final_observations;      // [rows, observation] last observation of rows that ended in this step
    void *actions;                  // int32 [rows], or float [rows, action_size]
    float *rewards;                 // [rows]
    uint8_t *terminated, *truncated;// [rows]
    uint8_t *masks;                 // [rows, actions], or null when the game has none
    int32_t *ticks;                 // [rows] ticks of the last step
    uint8_t *invalid;               // [rows] 1 where the last action was none of the game's or masked; may be null
} SlBuffers;

// One finished episode: who and when, then `episode` floats in the order of the spec.
typedef struct {
    uint64_t seed;                  // reset with it and the same actions replay the episode alone
    int64_t step;                   // the batch step in which it ended; the first after create is 1
    int32_t world, episode;
    int32_t length;                 // steps
    int32_t invalid;                // invalid actions of all agents, summed over the episode
    uint8_t terminated, truncated;  // how it ended: by the rules, by the time limit
    uint8_t unused[6];
} SlEpisodeHead;

SL_API int sl_abi_version(void);
SL_API const char *sl_why(void);                        // the sentence behind the last failure of this thread
SL_API const char *sl_build(void);                      // compiler and instruction set in use, for reports
// Instruction set of batches made from now on: 0 base, 1 x86-64-v3, 2 x86-64-v4, -1 the machine's best.
// The bits are the same in all of them; tests and benchmarks compare. Returns the level in use.
SL_API int sl_use_level(int level);
SL_API int sl_game_count(void);
SL_API const char *sl_game_name(int index);

// JSON about a game under these knob values (null: the first profile). Returns the bytes needed.
SL_API int64_t sl_describe(const char *game, const double *knobs, int knob_count, char *out, int64_t room);

SL_API SlBatch *sl_create(const char *game, const double *knobs, int knob_count, int worlds, int threads, int autoreset);
SL_API void sl_destroy(SlBatch *batch);
SL_API int sl_bind(SlBatch *batch, const SlBuffers *buffers);

// seeds: one per world. which: null for all worlds, else one byte per world.
SL_API int sl_reset(SlBatch *batch, const uint64_t *seeds, const uint8_t *which);
// The next episode of each world's own stream, as if it had just ended: after the seed of its last reset come
// those that a batch which resets itself plays.
SL_API int sl_next_episode(SlBatch *batch, const uint8_t *which);
SL_API int sl_step(SlBatch *batch);                     // the number of episodes that ended, or negative
// Plays `steps` steps with the given actions, [steps, rows, action_size] of 4 bytes each, copied into the
// caller's action array step by step: a recorded game at full speed. Returns as sl_step, summed.
SL_API int64_t sl_run(SlBatch *batch, const void *actions, int64_t steps);
SL_API int64_t sl_finished(SlBatch *batch, SlEpisodeHead *heads, float *values, int64_t room);
SL_API int64_t sl_finished_waiting(const SlBatch *batch);
SL_API int64_t sl_finished_dropped(const SlBatch *batch);

SL_API int64_t sl_snapshot_size(const SlBatch *batch);
SL_API int sl_snapshot(const SlBatch *batch, int world, void *out);
SL_API int sl_restore(SlBatch *batch, int world, const void *data, int64_t bytes);
SL_API int sl_hash(const SlBatch *batch, int world, uint64_t *out);
// For worlds that run elsewhere (a GPU) under the batch's rules. sl_rules: the rules as bytes; returns how many.
// sl_seal: a snapshot whose head and state were filled in there gets the fingerprint and checksum of one made here.
SL_API int64_t sl_rules(const SlBatch *batch, void *out, int64_t room);
SL_API int sl_seal(const SlBatch *batch, void *snapshot, int64_t bytes);

SL_API int sl_info(const SlBatch *batch, int world, float *out);
SL_API int sl_render(const SlBatch *batch, int world, float *out);
// Four floats an event after its kind; returns how many.
SL_API int sl_events(const SlBatch *batch, int world, int32_t *kinds, float *values, int room);

// Scripted play for `rows` rows. memory: SL_BOT_MEMORY floats a row, made by sl_bot_start.
SL_API int sl_bot_memory(void);
SL_API int sl_bot_start(uint64_t seed, float *memory, int64_t rows);
SL_API int sl_bot_act(SlBatch *batch, int bot, int level, const float *observations, const uint8_t *masks,
                      float *memory, void *actions, int64_t rows);

#endif
