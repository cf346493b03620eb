// generate.c: a new belt. The order of draws is part of the contract (docs/games/prospector.md, "Reset").
// Asteroids take a fixed number of draws each, so reset only skips them: a node's asteroids are drawn
// on the first visit, from the place in the stream where they belong.

SL_FN int pr_connected(const PrNode *a, int b) {
    for (int slot = 0; slot < a->edges; slot++) if (a->neighbor[slot] == b) return 1;
    return 0;
}

SL_FN void pr_fill_slot(PrNode *from, int to, int ticks, float fuel, float threat) {
    int slot = from->edges++;
    from->neighbor[slot] = (int8_t)to;
    from->ticks[slot] = (uint8_t)ticks;
    from->fuel[slot] = fuel;
    from->threat[slot] = threat;
    from->threat_est[slot] = 0.5f;
}

SL_FN void pr_add_edge(const ProspectorRules *r, ProspectorWorld *w, int a, int b) {
    PrNode *from = &w->nodes[a], *to = &w->nodes[b];
    if (from->edges == PR_EDGES || to->edges == PR_EDGES || pr_connected(from, b)) return;
    int ticks = sl_integer_in(&w->rng, r->edge_ticks_min, r->edge_ticks_max);
    float fuel = sl_uniform_in(&w->rng, r->edge_fuel_min, r->edge_fuel_max);
    float mean = 0.5f * (from->hazard + to->hazard) + 0.5f * (from->pirates + to->pirates);
    float threat = sl_clamp(mean + r->edge_threat_sd * sl_normal(&w->rng), 0.0f, 1.0f);
    pr_fill_slot(from, b, ticks, fuel, threat);
    pr_fill_slot(to, a, ticks, fuel, threat);
}

SL_FN void pr_make_nodes(const ProspectorRules *r, ProspectorWorld *w) {
    w->node_count = sl_integer_in(&w->rng, r->nodes_min, r->nodes_max);
    for (int i = 0; i < w->node_count; i++)
        for (int slot = 0; slot < PR_EDGES; slot++) w->nodes[i].neighbor[slot] = -1;
    for (int i = 1; i < w->node_count; i++) {
        PrNode *node = &w->nodes[i];
        int hazardous = sl_uniform(&w->rng) < r->hazard_share;
        node->type = hazardous ? PR_HAZARD : PR_CLUSTER;
        node->hazard = sl_uniform_in(&w->rng, r->hazard_min, r->hazard_max);
        node->pirates = sl_uniform_in(&w->rng, r->pirate_min, r->pirate_max);
        if (hazardous) {
            node->hazard = node->hazard + r->hazard_node_hazard;
            node->pirates = node->pirates + r->hazard_node_pirate;
        }
    }
}

// Nodes below a child that have a free slot, in order. A tree on n nodes uses 2(n - 1) slots of 6n, so
// there always is one; few ever fill up, so the list is kept instead of counted anew.
typedef struct { uint8_t node[PR_NODES]; int count; } PrOpen;

SL_FN void pr_close_full(PrOpen *open, const ProspectorWorld *w, int place) {
    if (w->nodes[open->node[place]].edges < PR_EDGES) return;
    open->count--;
    for (int i = place; i < open->count; i++) open->node[i] = open->node[i + 1];
}

SL_FN void pr_grow_roomy_tree(const ProspectorRules *r, ProspectorWorld *w) {
    PrOpen open = { { 0 }, 1 };
    for (int i = 1; i < w->node_count; i++) {
        int place = sl_integer_in(&w->rng, 0, open.count - 1);
        pr_add_edge(r, w, open.node[place], i);
        pr_close_full(&open, w, place);
        open.node[open.count++] = (uint8_t)i;
    }
}

SL_FN void pr_grow_tree(const ProspectorRules *r, ProspectorWorld *w) {
    for (int i = 1; i < w->node_count; i++) pr_add_edge(r, w, sl_integer_in(&w->rng, 0, i - 1), i);
}

SL_FN void pr_make_edges(const ProspectorRules *r, ProspectorWorld *w) {
    if (r->parent_has_room) pr_grow_roomy_tree(r, w);
    else pr_grow_tree(r, w);
    for (int i = 0; i < w->node_count; i++) {
        int a = sl_integer_in(&w->rng, 0, w->node_count - 1);
        int b = sl_integer_in(&w->rng, 0, w->node_count - 1);
        if (a != b) pr_add_edge(r, w, a, b);
    }
}

SL_FN void pr_swap_slots(PrNode *node, int a, int b) {
    int8_t neighbor = node->neighbor[a];
    uint8_t ticks = node->ticks[a];
    float fuel = node->fuel[a], threat = node->threat[a];
    node->neighbor[a] = node->neighbor[b]; node->neighbor[b] = neighbor;
    node->ticks[a] = node->ticks[b]; node->ticks[b] = ticks;
    node->fuel[a] = node->fuel[b]; node->fuel[b] = fuel;
    node->threat[a] = node->threat[b]; node->threat[b] = threat;
}

// Otherwise slot 0 would be a node's parent, and "always slot 0" the way home.
SL_FN void pr_shuffle_slots(ProspectorWorld *w) {
    for (int i = 0; i < w->node_count; i++)
        for (int slot = w->nodes[i].edges - 1; slot > 0; slot--)
            pr_swap_slots(&w->nodes[i], slot, sl_integer_in(&w->rng, 0, slot));
}

SL_FN void pr_measure_hops(ProspectorWorld *w) {
    int queue[PR_NODES], head = 0, tail = 0;
    for (int i = 1; i < w->node_count; i++) w->nodes[i].hops = PR_UNREACHABLE;
    queue[tail++] = 0;
    uint32_t reached = 1u;
    while (head < tail) {
        const PrNode *node = &w->nodes[queue[head++]];
        for (int slot = 0; slot < node->edges; slot++) {
            int next = node->neighbor[slot];
            if (reached >> next & 1u) continue;
            reached |= 1u << next;
            w->nodes[next].hops = (uint8_t)(node->hops + 1);
            queue[tail++] = next;
        }
    }
}

SL_FN void pr_measure_edges(ProspectorWorld *w) {
    for (int i = 0; i < w->node_count; i++) {
        PrNode *node = &w->nodes[i];
        node->way_home = -1;
        node->cheapest = node->edges ? node->fuel[0] : 0.0f;
        for (int slot = node->edges - 1; slot >= 0; slot--) {
            node->cheapest = sl_min(node->cheapest, node->fuel[slot]);
            if (w->nodes[node->neighbor[slot]].hops + 1 == node->hops) node->way_home = (int8_t)slot;
        }
    }
}

SL_FN void pr_count_rocks(const ProspectorRules *r, ProspectorWorld *w) {
    for (int i = 1; i < w->node_count; i++) {
        PrNode *node = &w->nodes[i];
        node->rocks = (uint8_t)sl_integer_in(&w->rng, r->asteroids_min, r->asteroids_max);
        node->rng = w->rng.state;
        sl_rng_skip(&w->rng, r->rock_jump[node->rocks]);
    }
}

// ---- the asteroids of one node ----

typedef struct { float u[PR_ROCK_DRAWS][PR_ROCKS]; } PrRockDraws;     // uniform draws, by kind and slot

// A slot's draws follow each other in the stream; the loops below want one kind of draw for all slots.
SL_FN void pr_draw_rock_words(const ProspectorRules *r, SlRng *rng, int rocks, PrRockDraws *draws) {
    float stream[(PR_ROCKS * PR_ROCK_DRAWS / PR_LANES + 1) * PR_LANES];
    pr_draw_blocks(r, rng, (rocks * PR_ROCK_DRAWS + PR_LANES - 1) / PR_LANES, stream);
    for (int k = 0; k < PR_ROCK_DRAWS; k++)
        for (int slot = 0; slot < PR_ROCKS; slot++) draws->u[k][slot] = 0.5f;
    for (int slot = 0; slot < rocks; slot++)
        for (int k = 0; k < PR_ROCK_DRAWS; k++) draws->u[k][slot] = stream[slot * PR_ROCK_DRAWS + k];
}

SL_FN float pr_exponential_of(float u) { return -sl_log(sl_max(u, 1e-8f)); }

// Rows of unit exponentials, weighted, to shares that sum to 1 in each slot.
SL_FN void pr_mix(const float (*u)[PR_ROCKS], const float *weight, float (*out)[PR_ROCKS]) {
    for (int c = 0; c < PR_GOODS; c++)
        for (int slot = 0; slot < PR_ROCKS; slot++) out[c][slot] = pr_exponential_of(u[c][slot]) * weight[c];
    for (int slot = 0; slot < PR_ROCKS; slot++) {
        float sum = ((out[0][slot] + out[1][slot]) + (out[2][slot] + out[3][slot])) + (out[4][slot] + out[5][slot]);
        for (int c = 0; c < PR_GOODS; c++) out[c][slot] = out[c][slot] / sum;
    }
}

SL_FN void pr_draw_geology(const ProspectorRules *r, SlRng *rng, float *weight) {
    float g[PR_GOODS];
    for (int c = 0; c < PR_GOODS; c++) weight[c] = 1.0f;
    if (!(r->geology > 0.0f)) return;
    for (int c = 0; c < PR_GOODS; c++) g[c] = sl_exponential(rng);
    float sum = pr_sum6(g);
    for (int c = 0; c < PR_GOODS; c++)
        weight[c] = (1.0f - r->geology) + r->geology * (6.0f * (g[c] / sum));
}

SL_FN void pr_make_bodies(const ProspectorRules *r, const PrNode *node, const PrRockDraws *draws, PrRocks *rocks) {
    float bonus = node->type == PR_HAZARD ? r->richness_hazard_gain : 0.0f;
    float mean = (r->richness_log_mean + bonus) + r->richness_hop_gain * (float)node->hops;
    const float (*u)[PR_ROCKS] = draws->u;
    for (int s = 0; s < PR_ROCKS; s++) {
        float radius = sl_sqrt(-2.0f * sl_log(sl_max(u[6][s], 1e-8f)));
        float normal = radius * sl_cos_turns(u[7][s]);
        rocks->richness[s] = sl_clamp(sl_exp(mean + r->richness_log_sd * normal), r->richness_min, r->richness_max);
    }
    for (int s = 0; s < PR_ROCKS; s++) {
        float top = (pr_exponential_of(u[8][s]) + pr_exponential_of(u[9][s])) + pr_exponential_of(u[10][s]);
        rocks->stability[s] = top / (top + (pr_exponential_of(u[11][s]) + pr_exponential_of(u[12][s])));
        rocks->noise[s] = r->noise_min + (r->noise_max - r->noise_min) * u[13][s];
        rocks->stability_est[s] = 0.5f;
        rocks->conf[s] = 0.10f;
        rocks->depletion[s] = 0.0f;
        rocks->richness_est[s] = r->richness_prior;
    }
}

// Empty slots hold zeros, so that a snapshot's bytes tell nothing but the state.
SL_FN void pr_clear_empty_slots(PrRocks *rocks, int count) {
    float *field = &rocks->true_comp[0][0];
    for (int f = 0; f < (int)(sizeof(PrRocks) / sizeof(float) / PR_ROCKS); f++)
        for (int s = count; s < PR_ROCKS; s++) field[f * PR_ROCKS + s] = 0.0f;
}

SL_FN void pr_draw_rocks(const ProspectorRules *r, ProspectorWorld *w, int index) {
    PrNode *node = &w->nodes[index];
    PrRocks *rocks = &w->rocks[++w->blocks];
    float weight[PR_GOODS], plain[PR_GOODS] = { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f };
    PrRockDraws draws;
    SlRng rng = { node->rng };
    pr_draw_geology(r, &rng, weight);
    pr_draw_rock_words(r, &rng, node->rocks, &draws);
    pr_mix(draws.u, weight, rocks->true_comp);
    pr_make_bodies(r, node, &draws, rocks);
    pr_mix(draws.u + 14, plain, rocks->comp_est);
    pr_clear_empty_slots(rocks, node->rocks);
    node->block = (uint8_t)w->blocks;
}

// The ship is here: the place is visited, its neighbours are seen, its asteroids exist.
SL_FN void pr_enter(const ProspectorRules *r, ProspectorWorld *w, int index) {
    const PrNode *node = &w->nodes[index];
    w->node = index;
    w->visited |= 1u << index;
    w->seen |= 1u << index;
    for (int slot = 0; slot < node->edges; slot++) w->seen |= 1u << node->neighbor[slot];
    if (index != 0 && !node->block) pr_draw_rocks(r, w, index);
}

// ---- the whole belt ----

SL_FN float pr_start(SlRng *rng, float low, float high) { return low < high ? sl_uniform_in(rng, low, high) : low; }

SL_FN void pr_start_ship(const ProspectorRules *r, ProspectorWorld *w) {
    w->ship.fuel = w->start_fuel = pr_start(&w->rng, r->start_fuel_min, r->start_fuel_max);
    w->ship.hull = w->start_hull = pr_start(&w->rng, r->start_hull_min, r->start_hull_max);
    w->ship.tool = w->start_tool = pr_start(&w->rng, r->start_tool_min, r->start_tool_max);
    w->credits = w->start_credits = pr_start(&w->rng, r->start_credits_min, r->start_credits_max);
    w->ship.credits_log = sl_log(1.0f + w->credits);
    w->ship.time_left = (float)r->time_max;
    w->kits = r->start_kits;
    w->stabilizers = r->start_stabilizers;
    w->decoys = r->start_decoys;
    w->selected = -1;
    w->action = -1;
}

// Asteroids of the last episode are wiped where there were any; everything before them always is.
SL_FN void pr_wipe(ProspectorWorld *w) {
    sl_fill(&w->rocks[1], 0, (size_t)w->blocks * sizeof w->rocks[1]);
    sl_fill(w, 0, offsetof(ProspectorWorld, rocks));
}

SL_FN void pr_generate(const ProspectorRules *r, ProspectorWorld *w, uint64_t seed) {
    pr_wipe(w);
    sl_rng_seed(&w->rng, seed);
    pr_make_nodes(r, w);
    pr_make_edges(r, w);
    if (r->shuffle_slots) pr_shuffle_slots(w);
    pr_measure_hops(w);
    pr_measure_edges(w);
    pr_count_rocks(r, w);
    pr_open_market(r, w);
    pr_start_ship(r, w);
    pr_enter(r, w, 0);
}
