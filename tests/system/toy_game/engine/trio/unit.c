// unit.c: trio, a toy of three roles that see and do different things. Each is paid for answering what it sees.
// scout: which of three doors; presses left, right or neither. guard: two signs, on two axes. thief: one sign, a
// button. An episode has `rounds` rounds. Apart, scout and guard are a team against the thief; together, all three
// win when everybody answers well.
#include "../common/variant.h"

#include "../common/describe.h"
#include "../common/rng.h"

#define TRIO_AGENTS 3
#define TRIO_SEEN 3                     // of the role that sees most; others leave the rest 0
#define TRIO_DONE 2                     // of the role that does most
#define TRIO_GOOD 0.75f                 // mean answer from which an episode played together is a success

enum { TRIO_SCOUT, TRIO_GUARD, TRIO_THIEF };
enum { TRIO_NOBODY, TRIO_LAW, TRIO_CRIME };

typedef struct { int rounds, together; } TrioRules;
typedef struct { SlRng rng; int32_t round, door; float signs[3], sums[TRIO_AGENTS]; } TrioWorld;

SL_HOST_TABLE char *const TRIO_PROFILES[] = { (char *)"default" };
SL_HOST_TABLE SlKnob TRIO_KNOBS[] = {
    { "rounds", SL_INTEGER, 1, 100, { 8, 8 }, "", "", "of an episode" },
    { "together", SL_FLAG, 0, 1, { 0, 0 }, "", "", "all three win together" },
};
SL_HOST_TABLE SlField TRIO_DOORS[] = { { "doors", 1, 3, 0, 1, "", "left|middle|right", "which one is open" } };
SL_HOST_TABLE SlField TRIO_SIGNS[] = { { "signs", 1, 2, -1, 1, "", "", "" } };
SL_HOST_TABLE SlField TRIO_SIGN[] = { { "sign", 1, 1, -1, 1, "", "", "" } };
SL_HOST_TABLE SlAction TRIO_SCOUT_ACTIONS[] = { { "left", "", "", "button" }, { "right", "", "", "button" } };
SL_HOST_TABLE SlAction TRIO_GUARD_ACTIONS[] = { { "x", "move", "", "axis" }, { "y", "move", "", "axis" } };
SL_HOST_TABLE SlAction TRIO_THIEF_ACTIONS[] = { { "grab", "", "", "button" } };
SL_HOST_TABLE SlTerm TRIO_TERMS[] = { { "answer", "all", "", "for an answer to what is seen" } };
SL_HOST_TABLE SlField TRIO_INFO[] = {
    { "tick", 1, 1, 0, 0, "", "", "" }, { "door", 1, 1, 0, 2, "", "", "" }, { "signs", 1, 3, -1, 1, "", "", "" },
};
SL_HOST_TABLE SlField TRIO_RENDER[] = { { "round", 1, 1, 0, 0, "", "", "" }, { "sums", 1, 3, 0, 0, "", "scout|guard|thief", "" } };
SL_HOST_TABLE SlField TRIO_EPISODE[] = {
    { "return", 1, 1, 0, 0, "", "", "mean over the three" },
    { "winner", 1, 1, 0, 2, "", "nobody|law|crime", "" },
    { "success", 1, 1, 0, 1, "", "", "" },
    { "steps", 1, 1, 0, 0, "", "", "" },
};
SL_HOST_TABLE SlMeaning TRIO_APART[] = { { "winner", "outcome", "none", 0 }, { "return", "measure", "higher", 0 } };
SL_HOST_TABLE SlMeaning TRIO_TOGETHER[] = { { "success", "flag", "higher", 1 }, { "return", "measure", "higher", 0 } };
SL_HOST_TABLE SlOutcome TRIO_OUTCOMES[] = {
    { "scout", "winner", "law", "win" }, { "guard", "winner", "law", "win" }, { "thief", "winner", "crime", "win" },
    { "scout", "winner", "nobody", "draw" }, { "guard", "winner", "nobody", "draw" }, { "thief", "winner", "nobody", "draw" },
};
SL_HOST_TABLE SlDefaultBot TRIO_DEFAULT_BOTS[] = { { "scout", "looker" }, { "guard", "pointer" }, { "thief", "grabber" } };
SL_HOST_TABLE SlEventKind TRIO_EVENTS[] = { { "round", "door", "a new round" } };

SL_HOST_FN int trio_configure(void *rules, const double *v, char *why, size_t room) {
    TrioRules *r = (TrioRules *)rules;
    (void)why; (void)room;
    r->rounds = (int)v[0];
    r->together = v[1] != 0.0;
    return 0;
}

SL_HOST_FN void trio_shape(const void *rules, SlShape *out) {
    (void)rules;
    out->agents = TRIO_AGENTS;
    out->observation = TRIO_SEEN;
    out->actions = 0;
    out->action_size = TRIO_DONE;
    out->masked = 0;
    out->info = sl_fields_size(TRIO_INFO, SL_COUNT(TRIO_INFO));
    out->render = sl_fields_size(TRIO_RENDER, SL_COUNT(TRIO_RENDER));
    out->episode = sl_fields_size(TRIO_EPISODE, SL_COUNT(TRIO_EPISODE));
}

SL_HOST_FN void trio_describe_roles(const TrioRules *r, SlText *t) {
    sl_key(t, "agent_roles");
    sl_describe_list(t, "scout|guard|thief");
    sl_key(t, "role_observation");
    sl_open(t, '{');
    sl_describe_fields(t, "scout", TRIO_DOORS, SL_COUNT(TRIO_DOORS));
    sl_describe_fields(t, "guard", TRIO_SIGNS, SL_COUNT(TRIO_SIGNS));
    sl_describe_fields(t, "thief", TRIO_SIGN, SL_COUNT(TRIO_SIGN));
    sl_close(t, '}');
    sl_key(t, "role_actions");
    sl_open(t, '{');
    sl_describe_actions_as(t, "scout", TRIO_SCOUT_ACTIONS, SL_COUNT(TRIO_SCOUT_ACTIONS));
    sl_describe_actions_as(t, "guard", TRIO_GUARD_ACTIONS, SL_COUNT(TRIO_GUARD_ACTIONS));
    sl_describe_actions_as(t, "thief", TRIO_THIEF_ACTIONS, SL_COUNT(TRIO_THIEF_ACTIONS));
    sl_close(t, '}');
    if (r->together) return;
    sl_key(t, "teams");
    sl_open(t, '{');
    sl_key_string(t, "scout", "law");
    sl_key_string(t, "guard", "law");
    sl_key_string(t, "thief", "crime");
    sl_close(t, '}');
    sl_describe_outcomes(t, TRIO_OUTCOMES, SL_COUNT(TRIO_OUTCOMES));
}

SL_HOST_FN void trio_describe(const void *rules, SlText *t) {
    const TrioRules *r = (const TrioRules *)rules;
    trio_describe_roles(r, t);
    sl_describe_terms(t, TRIO_TERMS, SL_COUNT(TRIO_TERMS));
    sl_describe_fields(t, "info", TRIO_INFO, SL_COUNT(TRIO_INFO));
    sl_describe_fields(t, "render", TRIO_RENDER, SL_COUNT(TRIO_RENDER));
    sl_describe_fields(t, "episode", TRIO_EPISODE, SL_COUNT(TRIO_EPISODE));
    if (r->together) sl_describe_meaning(t, TRIO_TOGETHER, SL_COUNT(TRIO_TOGETHER));
    else sl_describe_meaning(t, TRIO_APART, SL_COUNT(TRIO_APART));
    sl_describe_default_bots(t, TRIO_DEFAULT_BOTS, SL_COUNT(TRIO_DEFAULT_BOTS));
    sl_describe_events(t, TRIO_EVENTS, SL_COUNT(TRIO_EVENTS));
}

SL_FN void trio_ask(TrioWorld *w) {
    w->door = sl_integer_in(&w->rng, 0, 2);
    for (int i = 0; i < 3; i++) w->signs[i] = sl_integer_in(&w->rng, 0, 1) ? 1.0f : -1.0f;
}

SL_FN void trio_reset(const void *rules, void *world, uint64_t seed) {
    TrioWorld *w = (TrioWorld *)world;
    (void)rules;
    sl_fill(w, 0, sizeof *w);
    sl_rng_seed(&w->rng, seed);
    trio_ask(w);
}

SL_FN void trio_observe(const void *rules, const void *world, const SlView *view) {
    const TrioWorld *w = (const TrioWorld *)world;
    float *o = view->observations;
    (void)rules;
    sl_fill(o, 0, TRIO_AGENTS * TRIO_SEEN * sizeof *o);
    o[TRIO_SCOUT * TRIO_SEEN + w->door] = 1.0f;
    o[TRIO_GUARD * TRIO_SEEN] = w->signs[0];
    o[TRIO_GUARD * TRIO_SEEN + 1] = w->signs[1];
    o[TRIO_THIEF * TRIO_SEEN] = w->signs[2];
}

SL_FN void trio_step(const void *rules, void *world, const SlView *view) {
    const TrioRules *r = (const TrioRules *)rules;
    TrioWorld *w = (TrioWorld *)world;
    const float *a = (const float *)view->actions;
    int left = a[0] > 0.0f, right = a[1] > 0.0f, over;
    view->rewards[TRIO_SCOUT] = left == (w->door == 0) && right == (w->door == 2) ? 1.0f : 0.0f;
    view->rewards[TRIO_GUARD] = 0.5f * (a[2] * w->signs[0] + a[3] * w->signs[1]);
    view->rewards[TRIO_THIEF] = (a[4] > 0.0f) == (w->signs[2] > 0.0f) ? 1.0f : 0.0f;
    for (int i = 0; i < TRIO_AGENTS; i++) w->sums[i] += view->rewards[i];
    w->round++;
    over = w->round >= r->rounds;
    for (int i = 0; i < TRIO_AGENTS; i++) {
        view->terminated[i] = (uint8_t)over;
        view->truncated[i] = 0;
        view->ticks[i] = 1;
    }
    if (!over) trio_ask(w);
    trio_observe(rules, world, view);
}

SL_FN void trio_info(const void *rules, const void *world, float *out) {
    const TrioWorld *w = (const TrioWorld *)world;
    (void)rules;
    out[0] = (float)w->round;
    out[1] = (float)w->door;
    for (int i = 0; i < 3; i++) out[2 + i] = w->signs[i];
}

SL_FN void trio_render(const void *rules, const void *world, float *out) {
    const TrioWorld *w = (const TrioWorld *)world;
    (void)rules;
    out[0] = (float)w->round;
    for (int i = 0; i < TRIO_AGENTS; i++) out[1 + i] = w->sums[i];
}

SL_FN void trio_episode(const void *rules, const void *world, float *out) {
    const TrioRules *r = (const TrioRules *)rules;
    const TrioWorld *w = (const TrioWorld *)world;
    float law = 0.5f * (w->sums[TRIO_SCOUT] + w->sums[TRIO_GUARD]), crime = w->sums[TRIO_THIEF];
    float mean = ((w->sums[0] + w->sums[1]) + w->sums[2]) / 3.0f;
    out[0] = mean;
    out[1] = r->together || law == crime ? (float)TRIO_NOBODY : law > crime ? (float)TRIO_LAW : (float)TRIO_CRIME;
    out[2] = mean >= TRIO_GOOD * (float)r->rounds ? 1.0f : 0.0f;
    out[3] = (float)w->round;
}

SL_FN int trio_events(const void *rules, const void *world, SlEvent *out, int room) {
    const TrioWorld *w = (const TrioWorld *)world;
    (void)rules;
    if (!room) return 0;
    sl_fill(out, 0, sizeof *out);
    out->values[0] = (float)w->door;
    return 1;
}

SL_FN void trio_looker(const void *rules, int level, const float *o, const uint8_t *mask, float *memory, void *action) {
    float *a = (float *)action;
    (void)rules; (void)mask; (void)memory;
    a[0] = o[0] > 0.5f ? 1.0f : -1.0f;
    a[1] = level > 1 && o[2] > 0.5f ? 1.0f : -1.0f;     // the weak one never looks right
}

SL_FN void trio_pointer(const void *rules, int level, const float *o, const uint8_t *mask, float *memory, void *action) {
    float *a = (float *)action;
    (void)rules; (void)mask; (void)memory; (void)level;
    a[0] = o[0];
    a[1] = o[1];
}

SL_FN void trio_grabber(const void *rules, int level, const float *o, const uint8_t *mask, float *memory, void *action) {
    float *a = (float *)action;
    (void)rules; (void)mask; (void)memory; (void)level;
    a[0] = o[0];
    a[1] = 0.0f;
}

static const SlBot TRIO_BOTS[] = {
    { "looker", 2, "scout", trio_looker, "opens the door that it sees" },
    { "pointer", 1, "guard", trio_pointer, "points where the signs do" },
    { "grabber", 1, "thief", trio_grabber, "grabs when the sign says so" },
};

SL_GAME_TABLE(trio) = {
    "trio", "Trio", "Three roles that see and do different things.", "1", TRIO_PROFILES, 1, TRIO_KNOBS, SL_COUNT(TRIO_KNOBS),
    TRIO_BOTS, SL_COUNT(TRIO_BOTS), sizeof(TrioRules), sizeof(TrioWorld),
    trio_configure, trio_shape, trio_describe, trio_reset, trio_observe, trio_step,
    trio_info, trio_render, trio_episode, trio_events,
};
