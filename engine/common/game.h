// game.h: what a game is to the rest of the engine. A game fills in one SlGame: its tables (knobs,
// fields, terms, events, bots) and its functions. The vector layer (vector.h), the C ABI, WebAssembly
// and CUDA know games through this page alone.
//
// Words: a batch holds `worlds` worlds of one game under one set of rules; each world has `agents`
// rows; row = world * agents + agent. A step is one decision of every agent and lasts >= 1 ticks.
#ifndef SL_GAME_H
#define SL_GAME_H

#include "text.h"

#define SL_MAX_PROFILES 2
#define SL_MAX_EVENTS 16        // in one step of one world; more are counted, not kept
#define SL_EVENT_VALUES 4

typedef enum { SL_FLOAT, SL_INTEGER, SL_FLAG, SL_CHOICE } SlKind;

// One setting of a game. Values travel as doubles in table order; a choice travels as its index.
typedef struct {
    const char *name;
    SlKind kind;
    double low, high;                       // the range a value must lie in, both ends included
    double defaults[SL_MAX_PROFILES];       // one a profile
    const char *unit;                       // "" for a plain number
    const char *choices;                    // "timed|switch", only for SL_CHOICE
    const char *text;                       // what it does, one sentence
} SlKnob;

// A named run of numbers in an observation, an info block, a render block or an episode's sums.
typedef struct {
    const char *name;
    int rows, columns;                      // rows * columns numbers, row by row
    float low, high;                        // what a value may be; equal when there is no bound
    const char *unit;
    const char *labels;                     // names of the columns, or of the entries: "none|wall|agent"
    const char *text;
} SlField;

// kind: "axis" from -1 to 1, "button" for what is pressed or not, "option" of a game with one choice per step.
typedef struct { const char *name; const char *group; const char *text; const char *kind; } SlAction;

typedef struct {
    const char *name;
    const char *role;                       // whom it pays, or "all"
    const char *knob;                       // the knob that scales it, or ""
    const char *text;
} SlTerm;

// What an episode field means to code that knows no game. A field without a row is a measure without direction.
typedef struct {
    const char *field;
    const char *kind;                       // outcome (who won), code (a label), flag (0 or 1), measure
    const char *better;                     // higher, lower, none
    int headline;                           // 1 for the one number that play is ranked by
    const char *group;                      // comfort, performance: the part of a report it is in; "" for none
} SlMeaning;

typedef struct { const char *role; const char *field; const char *equals; const char *means; } SlOutcome;   // win, loss, draw

// The bot that plays a role when nobody chooses one.
typedef struct { const char *role; const char *bot; } SlDefaultBot;

// The episode field in which others are compared with a bot; the headline for bots without a row.
typedef struct { const char *bot; const char *field; } SlComparison;

// How people meet an episode field: the name of its metrics and milestones where that is not the field's own, and
// the values at which a replay is worth watching ("100|500|1000").
typedef struct { const char *field; const char *alias; const char *milestones; } SlAlias;

// How a role is shown: its colour on a light page and on a dark picture; in a film the heading of the best match that
// it won, and the words before the time of its win.
typedef struct { const char *role; const char *colour; const char *on_dark; const char *best; const char *won; } SlRoleStyle;

// A metric that follows from two others of a window: "ratio" is factor * above / below; "penalty" is
// above - factor * (1 - below).
typedef struct { const char *name; const char *kind; const char *above; const char *below; double factor; } SlDerived;

// One line of a chart of the game's own, over windows; lines of one panel stand together.
typedef struct {
    const char *chart, *title;              // its file, and what stands above it
    const char *panel, *unit;
    const char *column, *line;              // what is drawn, and its name; "" where the panel says it
    const char *colour;                     // "" for the next one of the palette
} SlChartLine;

typedef struct { const char *name; const char *values; const char *text; } SlEventKind;   // values: "a|b|c"

typedef struct { int32_t kind; float values[SL_EVENT_VALUES]; } SlEvent;

// How large one world is under given rules.
typedef struct {
    int agents;
    int observation;                        // floats a row
    int actions;                            // ids of a discrete game; 0 when actions are continuous
    int action_size;                        // numbers a row: 1 for a discrete game
    int masked;                             // 1 when the game writes a mask of `actions` bytes a row
    int info, render, episode;              // floats in these blocks
} SlShape;

// A world's own part of the caller's arrays, first row first.
typedef struct {
    float *observations;                    // [agents, observation]
    float *rewards;                         // [agents]
    uint8_t *terminated, *truncated;        // [agents]
    uint8_t *masks;                         // [agents, actions], null when not masked
    int32_t *ticks;                         // [agents] ticks that this step lasted
    const void *actions;                    // int32 [agents] when discrete, else float [agents, action_size]
} SlView;

// A scripted player sees what a policy sees, and may keep a few floats of memory a row. It is a pure
// function of (observation, mask, memory); all its randomness comes from memory[0..1], which the
// caller seeds as the bits of a PCG32 state (sl_bot_start); memory[2..] is zero when an episode begins.
typedef struct {
    const char *name;
    int levels;                             // 1..levels, the top one the strongest
    const char *role;                       // the role it is written for, or "all"
    void (*act)(const void *rules, int level, const float *observation, const uint8_t *mask,
                float *memory, void *action);
    const char *text;
} SlBot;

#define SL_BOT_MEMORY 16                    // floats a row

typedef struct SlGame {
    const char *name, *title, *text;
    const char *version;                    // raised when the same seed and actions give other bits
    const char *const *profiles;            // names of the columns of knob defaults
    int profile_count;
    const SlKnob *knobs;
    int knob_count;
    const SlBot *bots;
    int bot_count;
    size_t rules_size, world_size;

    // Turn knob values (already in range) into rules. Returns 0, or -1 with a sentence in `why`.
    int (*configure)(void *rules, const double *values, char *why, size_t room);
    void (*shape)(const void *rules, SlShape *out);
    // Writes the game's own keys into the open JSON object: observation, actions, roles, reward_terms,
    // info, render, episode, events (see describe.h for the helpers).
    void (*describe)(const void *rules, SlText *out);

    void (*reset)(const void *rules, void *world, uint64_t seed);
    // Everything an observation holds, written in full: after a reset, a restore, or on request.
    void (*observe)(const void *rules, const void *world, const SlView *view);
    // One decision: reads view->actions, moves the world, writes every output of the view. It may
    // rewrite only the observation entries that changed: nobody else writes into that row.
    void (*step)(const void *rules, void *world, const SlView *view);

    void (*info)(const void *rules, const void *world, float *out);
    void (*render)(const void *rules, const void *world, float *out);
    void (*episode)(const void *rules, const void *world, float *out);
    int (*events)(const void *rules, const void *world, SlEvent *out, int room);   // of the last step
} SlGame;

#endif
