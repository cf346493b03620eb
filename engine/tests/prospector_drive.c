// prospector_drive.c: the game driven from C, for measuring and tuning; no part of the library.
//
//   cc -O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math
//      engine/tests/prospector_drive.c -lm -o /tmp/prospector
//   /tmp/prospector speed                     decisions a second, uniform ids and legal ids, both profiles
//   /tmp/prospector bots 1000 [name=value …]  the benchmark table of the scripted players, knobs changed
//   /tmp/prospector modes [name=value …]      which mining mode is best where
//   /tmp/prospector knobs                     the knob table as Markdown
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../prospector/unit.c"

#define GAME (&SL_NAME(sl_game_prospector))
#define COLUMNS 128                         // more than an episode has

typedef struct {
    ProspectorWorld *worlds;
    float *observations, *rewards;
    uint8_t *masks, *terminated, *truncated;
    int32_t *ticks, *actions;
    float (*memory)[SL_BOT_MEMORY];
    uint64_t *seeds;
    int count;
} Crowd;

static double knob_values[SL_COUNT(PR_KNOB_TABLE)];
static ProspectorRules rules;

// Time of this thread on a core, so that a busy machine does not count.
static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void use_profile(int profile) {
    for (int i = 0; i < SL_COUNT(PR_KNOB_TABLE); i++) knob_values[i] = PR_KNOB_TABLE[i].defaults[profile];
}

static void set_knob(const char *assignment) {
    const char *equals = strchr(assignment, '=');
    for (int i = 0; equals && i < SL_COUNT(PR_KNOB_TABLE); i++) {
        size_t length = strlen(PR_KNOB_TABLE[i].name);
        if (length == (size_t)(equals - assignment) && !strncmp(PR_KNOB_TABLE[i].name, assignment, length)) {
            knob_values[i] = atof(equals + 1);
            return;
        }
    }
    fprintf(stderr, "no knob in '%s'; expected name=value with a name from `knobs`\n", assignment);
    exit(2);
}

static void configure(void) {
    char why[256];
    if (prospector_configure(&rules, knob_values, why, sizeof why) < 0) { fprintf(stderr, "%s\n", why); exit(2); }
}

static Crowd make_crowd(int count) {
    Crowd c;
    size_t n = (size_t)count;
    c.count = count;
    c.worlds = (ProspectorWorld *)calloc(n, sizeof *c.worlds);
    c.observations = (float *)calloc(n * PR_OBSERVATION, sizeof(float));
    c.rewards = (float *)calloc(n, sizeof(float));
    c.masks = (uint8_t *)calloc(n, PR_ACTIONS);
    c.terminated = (uint8_t *)calloc(n, 1);
    c.truncated = (uint8_t *)calloc(n, 1);
    c.ticks = (int32_t *)calloc(n, sizeof(int32_t));
    c.actions = (int32_t *)calloc(n, sizeof(int32_t));
    c.memory = (float (*)[SL_BOT_MEMORY])calloc(n, sizeof *c.memory);
    c.seeds = (uint64_t *)calloc(n, sizeof(uint64_t));
    return c;
}

static void free_crowd(Crowd *c) {
    free(c->worlds); free(c->observations); free(c->rewards); free(c->masks); free(c->terminated);
    free(c->truncated); free(c->ticks); free(c->actions); free(c->memory); free(c->seeds);
}

static SlView view_of(const Crowd *c, int i) {
    SlView v;
    v.observations = c->observations + (size_t)i * PR_OBSERVATION;
    v.rewards = c->rewards + i;
    v.masks = c->masks + (size_t)i * PR_ACTIONS;
    v.terminated = c->terminated + i;
    v.truncated = c->truncated + i;
    v.ticks = c->ticks + i;
    v.actions = c->actions + i;
    return v;
}

static void start(Crowd *c, int i, uint64_t seed) {
    SlView v = view_of(c, i);
    c->seeds[i] = seed;
    GAME->reset(&rules, &c->worlds[i], seed);
    GAME->observe(&rules, &c->worlds[i], &v);
}

// ---- speed ----

static void choose(Crowd *c, SlRng *rng, int legal) {
    for (int i = 0; i < c->count; i++) {
        int a = (int)(sl_rng_next(rng) % PR_ACTIONS);
        const uint8_t *mask = c->masks + (size_t)i * PR_ACTIONS;
        while (legal && !mask[a]) a = (int)(sl_rng_next(rng) % PR_ACTIONS);
        c->actions[i] = a;
    }
}

// Choosing is timed apart and taken off: a policy would have done it.
static void measure_speed(const char *profile, int legal) {
    Crowd c = make_crowd(1024);
    SlRng rng = { 12345 };
    double stepping = 0.0;
    long steps = 0, ended = 0, ticks = 0;
    for (int i = 0; i < c.count; i++) start(&c, i, (uint64_t)i);
    while (stepping < 2.0) {
        choose(&c, &rng, legal);
        double before = now_s();
        for (int i = 0; i < c.count; i++) {
            SlView v = view_of(&c, i);
            GAME->step(&rules, &c.worlds[i], &v);
            ticks += c.ticks[i];
            if (c.terminated[i] | c.truncated[i]) { ended++; start(&c, i, c.seeds[i] + 1024u); }
        }
        stepping += now_s() - before;
        steps += c.count;
    }
    printf("%-9s %-8s %6.2f M decisions/s  %6.2f M ticks/s  %5.1f decisions an episode\n", profile, legal ? "legal" : "uniform",
           (double)steps / stepping * 1e-6, (double)ticks / stepping * 1e-6, (double)steps / (double)(ended ? ended : 1));
    free_crowd(&c);
}

static void speed(void) {
    for (int profile = 0; profile < 2; profile++) {
        use_profile(profile);
        configure();
        for (int legal = 0; legal < 2; legal++) measure_speed(PR_PROFILES[profile], legal);
    }
}

// ---- scripted players ----

typedef struct { float (*rows)[COLUMNS]; int count; } Episodes;

static void cash_out_at_once(const void *r, int level, const float *o, const uint8_t *m, float *memory, void *action) {
    (void)r; (void)level; (void)o; (void)memory;
    *(int32_t *)action = m[PR_CASH_OUT] ? PR_CASH_OUT : PR_HOLD;
}

static void uniform_ids(const void *r, int level, const float *o, const uint8_t *m, float *memory, void *action) {
    SlRng rng;
    (void)r; (void)level; (void)o; (void)m;
    sl_copy(&rng, memory, sizeof rng);
    *(int32_t *)action = (int32_t)(sl_rng_next(&rng) % PR_ACTIONS);
    sl_copy(memory, &rng, sizeof rng);
}

static const SlBot EXTRA_BOTS[] = {
    { "cash_out_at_once", 1, "all", cash_out_at_once, "" },
    { "random_ids", 1, "all", uniform_ids, "" },
};

static void play(const SlBot *bot, int level, Episodes *out) {
    Crowd c = make_crowd(1);
    SlView v = view_of(&c, 0);
    for (int e = 0; e < out->count; e++) {
        uint64_t state = sl_seed_split(99, (uint64_t)e);
        start(&c, 0, (uint64_t)(1000 + e));
        memset(c.memory, 0, sizeof *c.memory);
        sl_copy(c.memory[0], &state, sizeof state);
        do {
            bot->act(&rules, level, c.observations, c.masks, c.memory[0], c.actions);
            GAME->step(&rules, &c.worlds[0], &v);
        } while (!c.terminated[0] && !c.truncated[0]);
        GAME->episode(&rules, &c.worlds[0], out->rows[e]);
    }
    free_crowd(&c);
}

static int column(const char *name) {
    int start_at = 0;
    for (int i = 0; i < SL_COUNT(PR_EPISODE_FIELDS); i++) {
        if (!strcmp(PR_EPISODE_FIELDS[i].name, name)) return start_at;
        start_at += PR_EPISODE_FIELDS[i].rows * PR_EPISODE_FIELDS[i].columns;
    }
    fprintf(stderr, "no episode column %s\n", name);
    exit(2);
}

static int by_value(const void *a, const void *b) { return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b); }

static double mean(const Episodes *e, const char *name) {
    double sum = 0.0;
    int k = column(name);
    for (int i = 0; i < e->count; i++) sum += e->rows[i][k];
    return sum / e->count;
}

static double median(const Episodes *e, const char *name) {
    float *values = (float *)malloc((size_t)e->count * sizeof(float));
    int k = column(name);
    for (int i = 0; i < e->count; i++) values[i] = e->rows[i][k];
    qsort(values, (size_t)e->count, sizeof *values, by_value);
    double result = values[e->count / 2];
    free(values);
    return result;
}

static void print_bot(const char *name, const Episodes *e) {
    printf("| %s | %.0f | %.0f | %.2f | %.2f | %.1f%% | %.1f%% | %.1f%% | %.0f | %.0f | %.1f | %.0f | %.0f | %.1f | %.0f | %.0f | %.0f | %.0f |\n", name,
           mean(e, "net_profit"), median(e, "net_profit"), mean(e, "return"), median(e, "return"), 100.0 * mean(e, "survival"),
           100.0 * mean(e, "destroyed"), 100.0 * mean(e, "stranded"), mean(e, "ticks"), mean(e, "decisions"), mean(e, "pirate_encounters"),
           mean(e, "value_lost_to_pirates"), mean(e, "mining_ticks"), mean(e, "fractures"), mean(e, "overheat_ticks"),
           mean(e, "spend"), mean(e, "proceeds"), mean(e, "slippage"));
    fflush(stdout);
}

static void bots(int episodes) {
    Episodes e = { (float (*)[COLUMNS])calloc((size_t)episodes, sizeof(float[COLUMNS])), episodes };
    puts("| player | profit | median | return | median | survived | destroyed | stranded | ticks | decisions | pirates | lost to them | mining | fractures | overheat | spend | proceeds | slippage |");
    puts("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (int i = 0; i < SL_COUNT(PR_BOTS) + SL_COUNT(EXTRA_BOTS); i++) {
        const SlBot *bot = i < SL_COUNT(PR_BOTS) ? &PR_BOTS[i] : &EXTRA_BOTS[i - SL_COUNT(PR_BOTS)];
        play(bot, bot->levels, &e);
        print_bot(bot->name, &e);
    }
    free(e.rows);
}

// ---- mining modes: the best plan for one rock, by looking ahead over depletion and heat ----

#define GRID_D 101
#define GRID_H 51
// What things are worth to a pilot in a running tour, credits: ore a unit, a tick, hull and tool a point.
static const float ORE = 95.0f, TICK = 31.0f, HULL = 12.0f, TOOL = 6.0f;

typedef struct { float stability, richness, tool; int steady; } Rock;

static float plan_value[GRID_D][GRID_H];
static int plan_choice[GRID_D][GRID_H];     // 0..2 a mode, 3 cool down, 4 leave

static float future(float depletion, float heat) {
    float d = sl_min(depletion, 1.0f) * (GRID_D - 1), h = sl_clamp(heat, 0.0f, 100.0f) / 100.0f * (GRID_H - 1);
    int i = sl_imin((int)d, GRID_D - 2), k = sl_imin((int)h, GRID_H - 2);
    float x = d - (float)i, y = h - (float)k;
    return (plan_value[i][k] * (1 - x) + plan_value[i + 1][k] * x) * (1 - y) + (plan_value[i][k + 1] * (1 - x) + plan_value[i + 1][k + 1] * x) * y;
}

static float mining_value(const Rock *rock, int m, float depletion, float heat) {
    const PrMode *mode = &rules.modes[m];
    float units = rock->richness * (1.0f - depletion) * pr_tool_efficiency(&rules, rock->tool) * pr_heat_efficiency(&rules, heat) * mode->yield;
    float after = sl_min(1.0f, depletion + rules.depletion_per_unit * units);
    float p = pr_fracture_chance(&rules, mode, rock->stability, heat, rock->tool, after, rock->steady);
    float hotter = sl_max(0.0f, heat + mode->heat - rules.heat_dissipation), burnt = sl_max(0.0f, hotter - 100.0f) * rules.overheat_hull;
    float hull = p * rules.fracture_hull * 0.5f * (1.0f + rules.fracture_hull_low) + burnt;
    return units * ORE - TICK - mode->wear * TOOL - hull * HULL + (1.0f - p) * future(after, hotter);
}

// Values only fall with depletion and rise with cold, so one sweep from the end settles each cell.
static void plan(const Rock *rock) {
    memset(plan_value, 0, sizeof plan_value);
    for (int i = GRID_D - 2; i >= 0; i--) {
        for (int round = 0; round < 40; round++) {
            for (int k = 0; k < GRID_H; k++) {
                float depletion = (float)i / (GRID_D - 1), heat = 100.0f * (float)k / (GRID_H - 1), best = 0.0f;
                int choice = 4;
                for (int m = 0; m < 3; m++) {
                    float value = mining_value(rock, m, depletion, heat);
                    if (value > best) { best = value; choice = m; }
                }
                float cool = future(depletion, heat - rules.cooldown_heat - rules.heat_dissipation * (float)rules.cooldown_ticks) - TICK * (float)rules.cooldown_ticks;
                if (cool > best) { best = cool; choice = 3; }
                plan_value[i][k] = best;
                plan_choice[i][k] = choice;
            }
        }
    }
}

static const char *choice_at(float depletion, float heat) {
    static const char *const names[] = { "conservative", "standard", "aggressive", "cool down", "leave" };
    return names[plan_choice[(int)(depletion * (GRID_D - 1) + 0.5f)][(int)(heat / 100.0f * (GRID_H - 1) + 0.5f)]];
}

static void modes(void) {
    static const float richness[] = { 0.6f, 1.0f, 1.0f, 2.0f }, tool[] = { 100, 100, 30, 100 };
    puts("| richness | tool | stability | fresh | depleted 0.3 | 0.6 | 0.8 | fresh, at heat 85 |\n|---:|---:|---:|---|---|---|---|---|");
    for (int a = 0; a < 4; a++) for (int s = 1; s < 10; s += 2) {
        Rock rock = { 0.1f * (float)s, richness[a], tool[a], 0 };
        plan(&rock);
        printf("| %.1f | %.0f | %.1f | %s | %s | %s | %s | %s |\n", rock.richness, rock.tool, rock.stability, choice_at(0, 30),
               choice_at(0.3f, 30), choice_at(0.6f, 30), choice_at(0.8f, 30), choice_at(0, 86));
    }
}

static void knobs(void) {
    puts("| knob | balanced | classic | range | unit | meaning |\n|---|---:|---:|---|---|---|");
    for (int i = 0; i < SL_COUNT(PR_KNOB_TABLE); i++) {
        const SlKnob *k = &PR_KNOB_TABLE[i];
        printf("| `%s` | %g | %g | %g..%g | %s | %s |\n", k->name, k->defaults[0], k->defaults[1], k->low, k->high, k->unit, k->text);
    }
}

int main(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : "speed";
    if (!strcmp(command, "speed")) { speed(); return 0; }
    if (!strcmp(command, "knobs")) { knobs(); return 0; }
    if (!strcmp(command, "modes")) {
        use_profile(0);
        for (int i = 2; i < argc; i++) set_knob(argv[i]);
        configure();
        modes();
        return 0;
    }
    if (strcmp(command, "bots")) { fprintf(stderr, "unknown command %s; expected speed, bots, modes or knobs\n", command); return 2; }
    use_profile(argc > 3 && !strcmp(argv[3], "classic"));
    for (int i = 3; i < argc; i++) if (strchr(argv[i], '=')) set_knob(argv[i]);
    configure();
    bots(argc > 2 ? atoi(argv[2]) : 100);
    return 0;
}
