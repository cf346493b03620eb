// prospector.h: the contract of the game. Sizes that are frozen, the rules made from the knobs, and the
// world: every field with its unit and range. The rules themselves are in docs/games/prospector.md.
//
// A world's memory must be zero when it is made; after that reset needs no help.
#ifndef PROSPECTOR_H
#define PROSPECTOR_H

#include "../common/describe.h"
#include "../common/game.h"
#include "../common/rng.h"
#include "prospector_knobs.h"

#define PR_OBSERVATION 260
#define PR_ACTIONS 69
#define PR_MASK_BYTES 72        // PR_ACTIONS padded to whole words
#define PR_GOODS 6              // commodities
#define PR_LANES 8              // commodities padded to a vector; the last two lanes stay 0
#define PR_NODES 32
#define PR_EDGES 6              // neighbour slots of a node
#define PR_ROCKS 16             // asteroid slots of a node
#define PR_ROCK_DRAWS 20        // draws an asteroid takes from the generator, whatever its values
#define PR_MAX_DT 8             // longest action, in ticks
#define PR_UNREACHABLE 31       // hops when there is no way
#define PR_TERMS 16
#define PR_METRICS 13
#define PR_FUEL_MAX 1000.0f
#define PR_GAUGE_MAX 100.0f     // hull, heat, tool, alert
#define PR_CARGO_MAX 200.0f
#define PR_SUPPLY_MAX 12        // kits, stabilizers, decoys, each

enum { PR_IRON, PR_NICKEL, PR_WATER_ICE, PR_PGE, PR_RARE_ISOTOPES, PR_VOLATILES };
enum { PR_STATION, PR_CLUSTER, PR_HAZARD };
enum { PR_SHAPED, PR_SPARSE };
enum { PR_ISOTOPES, PR_DENSIFY };

// Action ids, as frozen.
enum {
    PR_TRAVEL = 0, PR_HOLD = 6, PR_BURN = 7, PR_WIDE = 8, PR_FOCUSED = 9, PR_DEEP = 10, PR_LISTEN = 11,
    PR_SELECT = 12, PR_MINE = 28, PR_STABILIZE = 31, PR_REFINE = 32, PR_COOLDOWN = 33, PR_MAINTAIN = 34,
    PR_PATCH = 35, PR_JETTISON = 36, PR_DOCK = 42, PR_SELL = 43, PR_FUEL = 61, PR_KIT = 64,
    PR_STABILIZER = 65, PR_DECOY = 66, PR_OVERHAUL = 67, PR_CASH_OUT = 68
};

// Where things lie in an observation.
enum {
    PR_OBS_SHIP = 0, PR_OBS_CARGO = 8, PR_OBS_SUPPLIES = 14, PR_OBS_AT_STATION = 17, PR_OBS_MINING = 18,
    PR_OBS_NODE_TYPE = 19, PR_OBS_NODE = 22, PR_OBS_HOPS = 23, PR_OBS_EDGES = 24, PR_EDGE_FIELDS = 7,
    PR_OBS_RICHNESS = 66, PR_OBS_WAY_HOME = 67, PR_OBS_ROCKS = 68, PR_ROCK_FIELDS = 11,
    PR_OBS_PRICE = 244, PR_OBS_DELTA = 250, PR_OBS_STOCK = 256
};
SL_STATIC_ASSERT(PR_OBS_RICHNESS == PR_OBS_EDGES + PR_EDGES * PR_EDGE_FIELDS, "edges end where richness begins");
SL_STATIC_ASSERT(PR_OBS_PRICE == PR_OBS_ROCKS + PR_ROCKS * PR_ROCK_FIELDS, "asteroids end where prices begin");
SL_STATIC_ASSERT(PR_OBSERVATION == PR_OBS_STOCK + 4, "four stocks end the observation");

enum {
    PR_TERM_SELL, PR_TERM_EXTRACT, PR_TERM_CARGO, PR_TERM_FUEL, PR_TERM_TIME, PR_TERM_WEAR, PR_TERM_DAMAGE, PR_TERM_HEAT,
    PR_TERM_SCAN, PR_TERM_INVALID, PR_TERM_PIRATE, PR_TERM_STRANDED, PR_TERM_DESTROYED, PR_TERM_FINISH, PR_TERM_FRACTURE,
    PR_TERM_HULL
};

typedef enum { PR_RUNNING, PR_ENDED_DESTROYED, PR_ENDED_STRANDED, PR_ENDED_CASH_OUT, PR_ENDED_TIME } PrEnding;

typedef enum {
    PR_EVENT_INVALID, PR_EVENT_PIRATES, PR_EVENT_OVERHEAT, PR_EVENT_FRACTURE, PR_EVENT_DOCK, PR_EVENT_SELL,
    PR_EVENT_BUY, PR_EVENT_SCAN, PR_EVENT_REFINE, PR_EVENT_JETTISON, PR_EVENT_STRANDED, PR_EVENT_DESTROYED,
    PR_EVENT_CASH_OUT, PR_EVENT_TRUNCATED, PR_EVENT_PRICE_SPIKE
} PrEventKind;

// ---- rules: the knobs, and tables made from them once ----

typedef struct { float yield, sd, heat, wear, alert, fracture; } PrMode;
typedef struct { float blend, gain, noise; } PrScan;

// One action: its kind (the first id of its group), which of the group it is, and what it costs.
typedef struct {
    int32_t kind, index, ticks;
    float fuel, heat, alert, price;
    float share;                // of the hold, for a sale
} PrRow;

#define PR_FLOAT_FIELD(name, low, high, balanced, classic, unit, text) float name;
#define PR_INTEGER_FIELD(name, low, high, balanced, classic, unit, text) int32_t name;
#define PR_FLAG_FIELD(name, balanced, classic, text) int32_t name;
#define PR_CHOICE_FIELD(name, balanced, classic, choices, text) int32_t name;

typedef struct {
    PROSPECTOR_KNOBS(PR_FLOAT_FIELD, PR_INTEGER_FIELD, PR_FLAG_FIELD, PR_CHOICE_FIELD)
    PrRow rows[PR_ACTIONS];
    PrMode modes[3];
    PrScan scans[3];
    float base[PR_LANES], low[PR_LANES], high[PR_LANES];    // credits
    float price_scale[PR_LANES];                            // what an observed price is divided by
    float gauge_scale[PR_LANES];                            // what the ship's gauges are divided by
    float noise_keep[PR_MAX_DT + 1], noise_gain[PR_MAX_DT + 1];
    float shock_keep[PR_MAX_DT + 1], shock_chance[PR_MAX_DT + 1];
    float sales_keep[PR_MAX_DT + 1], stock_left[PR_MAX_DT + 1];
    float glut;                                             // per unit in stock
    float stock_slope, sales_slope;                         // credits a unit
    float iron_yield, nickel_yield, ice_yield;              // of densify, units for a unit
    float credits_scale;                                    // log(1 + ten million)
    SlJump rock_jump[PR_ROCKS + 1];                         // past a node's asteroids, by their number
    SlJump lanes[PR_LANES];                                 // by 0..7 draws: where the lanes of a block begin
    SlJump block, market_jump;                              // by a whole block; past the market's twelve draws
} ProspectorRules;

// ---- the world ----

// The gauges lie in the order of the observation, so that one vector division writes them.
typedef struct {
    float fuel;                 // 0..1000
    float hull, heat, tool;     // 0..100
    float total;                // units of cargo, 0..200; always sum6 of cargo
    float alert;                // 0..100
    float time_left;            // ticks
    float credits_log;          // log(1 + credits)
} PrShip;

typedef struct {                // a lane a commodity
    float price[PR_LANES], previous[PR_LANES];              // credits
    float noise[PR_LANES], shock[PR_LANES];                 // credits
    float stock[PR_LANES], recent[PR_LANES];                // units
    float amplitude[PR_LANES];                              // credits
    float phase[PR_LANES];                                  // turns
    uint64_t position[PR_LANES], rate[PR_LANES];            // of the cycle, 2^-48 turns; per tick
} PrMarket;

typedef struct {
    float fuel[PR_LANES];       // for an empty ship; 0 where there is no edge
    float threat[PR_EDGES], threat_est[PR_EDGES];           // 0..1
    float hazard, pirates;      // 0..1
    float cheapest;             // fuel of the cheapest edge
    int8_t neighbor[PR_EDGES];  // node, or -1
    uint8_t ticks[PR_EDGES];    // 1..8
    uint8_t type, edges, rocks, hops;
    int8_t way_home;            // slot, or -1 at the station or without a way
    uint8_t block;              // where its asteroids are kept; 0 until the first visit
    uint64_t rng;               // where its asteroids' draws begin
} PrNode;

typedef struct {                // field by field, so that loops run over slots
    float true_comp[PR_GOODS][PR_ROCKS], richness[PR_ROCKS], stability[PR_ROCKS], noise[PR_ROCKS];
    float comp_est[PR_GOODS][PR_ROCKS], stability_est[PR_ROCKS], conf[PR_ROCKS], depletion[PR_ROCKS];
    float richness_est[PR_ROCKS];
} PrRocks;

typedef struct {
    float spend, slippage;                                  // credits
    float overheat_ticks, encounters, value_lost;
    float fuel_used, hull_damage, tool_wear;                // cumulative
    float scans, mining_ticks, fractures;
    float load_sum, load_weight;                            // for the tick-weighted mean load
    float proceeds, mined_units, mined_value;               // units and credits at prices before the step
    float arrivals, arrival_load;                           // at the station, and the sum of loads then
    float decisions, invalid, wait_ticks;
    float shaped, sparse;                                   // return so far
} PrCounters;

typedef struct {
    SlRng rng;
    PrShip ship;
    float cargo[PR_LANES];      // units
    float credits, value;       // value: of the cargo at present prices
    int32_t kits, stabilizers, decoys;
    int32_t ticks;              // elapsed
    int32_t node, node_count;
    int32_t selected;           // slot, or -1
    int32_t docked;             // 1 after lying low, until the next trip
    int32_t escape;             // ticks of the emergency burn left
    int32_t steady_slots;       // 1 while some slot may be stabilised: spares the countdown
    PrMarket market;
    uint8_t mask[PR_MASK_BYTES];
    float terms[PR_TERMS], sums[PR_TERMS];  // of the reward, in the last step and in the episode
    int32_t action, dt, invalid, terminated, truncated, ending;     // of the last step
    PrCounters count;
    float start_fuel, start_hull, start_tool, start_credits;
    int32_t event_count;
    uint32_t visited, seen;                                 // one bit per node
    int32_t blocks;             // of asteroids drawn, in the order of first visits: what is used lies together
    int32_t steady[PR_ROCKS];   // ticks for which a slot stays stabilised
    SlEvent events[SL_MAX_EVENTS];
    PrNode nodes[PR_NODES];
    PrRocks rocks[PR_NODES];    // block 0 stays empty: the station's
} ProspectorWorld;

// What one step carries from rule to rule.
typedef struct {
    int action, valid, dt, known;                           // known: the id was in 0..68
    int changed;                                            // PR_CHANGED_* bits: what must be written again
    int unselected;                                         // slot that was selected before a selection, or -1
    float fuel, hull, tool, credits, value, worth;          // before; value at present, worth at base prices
    float gain, lost;                                       // credits won in the hold; lost to pirates
    float poorer;                                           // by how much the mined asteroid's estimated richness fell
    float broken;                                           // of an asteroid that broke up: richness and time left
} PrStep;

enum { PR_CHANGED_NODE = 1, PR_CHANGED_ROCKS = 2, PR_CHANGED_SLOT = 4, PR_CHANGED_CARGO = 8, PR_CHANGED_EDGES = 16,
       PR_CHANGED_SELECTION = 32, PR_CHANGED_FUEL = 64 };

// sl_rng_next without its chain: the output of one state, with the rotation done in 64 bits because
// that is what vector units have.
SL_FN float pr_uniform_of(uint64_t state) {
    uint64_t word = (((state >> 18) ^ state) >> 27) & 0xffffffffu;
    return sl_unit((uint32_t)(((word << 32) | word) >> (state >> 59)));
}

#define PR_MOST_DRAWS 328       // of one call: a node's asteroids, in whole blocks

// Uniform draws in blocks of eight, each lane its own place in the stream, so that no draw waits for the
// one before it. `out` has room for whole blocks; the stream then stands after the last of them.
SL_FN void pr_draw_blocks(const ProspectorRules *r, SlRng *rng, int blocks, float *out) {
    uint64_t state[PR_MOST_DRAWS + PR_LANES], multiplier = r->block.multiplier, increment = r->block.increment;
    int count = blocks * PR_LANES;
    for (int i = 0; i < PR_LANES; i++) state[i] = rng->state * r->lanes[i].multiplier + r->lanes[i].increment;
    for (int i = 0; i < count; i++) state[i + PR_LANES] = state[i] * multiplier + increment;
    for (int i = 0; i < count; i++) out[i] = pr_uniform_of(state[i]);
    rng->state = state[count];
}

SL_FN float pr_sum6(const float *x) { return ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]); }

SL_FN float pr_cargo_value(const ProspectorWorld *w) {
    const float *c = w->cargo, *p = w->market.price;
    return ((c[0] * p[0] + c[1] * p[1]) + (c[2] * p[2] + c[3] * p[3])) + (c[4] * p[4] + c[5] * p[5]);
}

// Call after any change of cargo: total and value follow it.
SL_FN void pr_weigh(ProspectorWorld *w) {
    w->ship.total = pr_sum6(w->cargo);
    w->value = pr_cargo_value(w);
}

SL_FN int pr_at_station(const ProspectorWorld *w) { return w->node == 0; }

SL_FN const PrRocks *pr_rocks(const ProspectorWorld *w) { return &w->rocks[w->nodes[w->node].block]; }
SL_FN PrRocks *pr_rocks_to_change(ProspectorWorld *w) { return &w->rocks[w->nodes[w->node].block]; }

SL_FN int pr_selection_valid(const ProspectorWorld *w) {
    return w->selected >= 0 && w->selected < w->nodes[w->node].rocks && pr_rocks(w)->depletion[w->selected] < 1.0f;
}

SL_FN void pr_event(ProspectorWorld *w, PrEventKind kind, float a, float b, float c, float d) {
    if (w->event_count < SL_MAX_EVENTS) {
        SlEvent *e = &w->events[w->event_count];
        e->kind = (int32_t)kind;
        e->values[0] = a; e->values[1] = b; e->values[2] = c; e->values[3] = d;
    }
    w->event_count++;
}

#endif
