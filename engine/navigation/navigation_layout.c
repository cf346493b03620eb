// navigation_layout.c: the grid: where walls and pits are, where a body fits, and what rays meet.
#include "navigation.h"

// Cosines and sines of the rays, world axes; no component is zero, so that its inverse is a number.
SL_TABLE float NAVIGATION_RAY_X[NAVIGATION_RAYS] = {
    1.0f, 0.923879533f, 0.707106781f, 0.382683432f, 1e-6f, -0.382683432f, -0.707106781f, -0.923879533f,
    -1.0f, -0.923879533f, -0.707106781f, -0.382683432f, 1e-6f, 0.382683432f, 0.707106781f, 0.923879533f,
};
SL_TABLE float NAVIGATION_RAY_Z[NAVIGATION_RAYS] = {
    1e-6f, 0.382683432f, 0.707106781f, 0.923879533f, 1.0f, 0.923879533f, 0.707106781f, 0.382683432f,
    1e-6f, -0.382683432f, -0.707106781f, -0.923879533f, -1.0f, -0.923879533f, -0.707106781f, -0.382683432f,
};

SL_FN int navigation_bit(const uint64_t *rows, int column, int row) { return (int)((rows[row] >> column) & 1u); }

// The cell of a place, never outside the grid.
SL_FN int navigation_cell(const NavigationRules *r, float v) {
    return sl_imax(0, sl_imin((int)((v + r->half) / NAVIGATION_CELL), r->cells - 1));
}

SL_FN float navigation_middle(const NavigationRules *r, int cell) {
    return ((float)cell + 0.5f) * NAVIGATION_CELL - r->half;
}

// ---------------------------------------------------------------- walls and pits

SL_FN void navigation_border(const NavigationRules *r, NavigationWorld *w) {
    uint64_t *rows = r->edge ? w->holes : w->walls, all = ((uint64_t)1 << r->cells) - 1u;
    uint64_t sides = (uint64_t)1 | ((uint64_t)1 << (r->cells - 1));
    for (int j = 0; j < r->cells; j++) rows[j] |= j == 0 || j == r->cells - 1 ? all : sides;
}

// A post of a maze falls over, right, down, left or (in the first row) up, but not onto a wall: the cells between the
// posts stay connected, whatever is drawn.
SL_FN void navigation_topple(NavigationWorld *w, int i, int j) {
    int ways = j == 2 ? 4 : 3, way = sl_integer_in(&w->rng, 0, ways - 1);
    for (int tries = 0; tries < ways; tries++, way = (way + 1) % ways) {
        int column = way == 0 ? i + 1 : way == 2 ? i - 1 : i, row = way == 1 ? j + 1 : way == 3 ? j - 1 : j;
        if (navigation_bit(w->walls, column, row)) continue;
        w->walls[row] |= (uint64_t)1 << column;
        return;
    }
}

// Two draws a post, one more for a wall.
SL_FN void navigation_post(const NavigationRules *r, NavigationWorld *w, int i, int j) {
    int pit = sl_uniform(&w->rng) < r->pits;
    float share = sl_uniform(&w->rng);
    uint64_t bit = (uint64_t)1 << i;
    if (pit) w->holes[j] |= bit;
    else if (w->layout == NAVIGATION_MAZE || share < r->obstacles) w->walls[j] |= bit;
    if (!pit && w->layout == NAVIGATION_MAZE && share >= r->openness) navigation_topple(w, i, j);
}

SL_FN void navigation_build(const NavigationRules *r, NavigationWorld *w) {
    w->layout = r->layout == NAVIGATION_ANY ? sl_integer_in(&w->rng, 0, NAVIGATION_TASKS - 1) : r->layout;
    navigation_border(r, w);
    if (w->layout == NAVIGATION_OPEN) return;
    for (int j = 2; j < r->cells - 1; j += 2)
        for (int i = 2; i < r->cells - 1; i += 2) navigation_post(r, w, i, j);
}

// A place where a body stands free; else the middle of the nearest cell that no post or wall can take.
SL_FN void navigation_place(const NavigationRules *r, const NavigationWorld *w, float *x, float *z) {
    int i = navigation_cell(r, *x), j = navigation_cell(r, *z);
    float dx = sl_abs(*x - navigation_middle(r, i)), dz = sl_abs(*z - navigation_middle(r, j));
    float room = 0.5f * NAVIGATION_CELL - r->radius;
    int taken = navigation_bit(w->walls, i, j) | navigation_bit(w->holes, i, j);
    if (!taken && dx < room && dz < room) return;
    *x = navigation_middle(r, sl_imin(i | 1, r->cells - 2));
    *z = navigation_middle(r, sl_imin(j | 1, r->cells - 2));
}

// ---------------------------------------------------------------- rays

// Ray against one cell, all rays at once: no branches, so that the loop becomes vectors.
SL_FN void navigation_meet(float *found, float low_x, float low_z) {
    float high_x = low_x + NAVIGATION_CELL, high_z = low_z + NAVIGATION_CELL;
    for (int k = 0; k < NAVIGATION_RAYS; k++) {
        float ix = 1.0f / NAVIGATION_RAY_X[k], iz = 1.0f / NAVIGATION_RAY_Z[k];
        float a = low_x * ix, b = high_x * ix, c = low_z * iz, d = high_z * iz;
        float enter = sl_max(sl_min(a, b), sl_min(c, d)), leave = sl_min(sl_max(a, b), sl_max(c, d));
        found[k] = ((enter <= leave) & (enter > 0.0f) & (enter < found[k])) ? enter : found[k];
    }
}

// Metres of free floor along each ray: it ends at a wall and at the edge of a pit.
SL_FN void navigation_look_around(const NavigationRules *r, const NavigationWorld *w, float *rays) {
    int ci = navigation_cell(r, w->pose.x), cj = navigation_cell(r, w->pose.z);
    int first = sl_imax(ci - NAVIGATION_NEAR, 0), last = sl_imin(ci + NAVIGATION_NEAR, r->cells - 1);
    uint64_t window = (((uint64_t)1 << (last - first + 1)) - 1u) << first;
    for (int k = 0; k < NAVIGATION_RAYS; k++) rays[k] = NAVIGATION_RAY;
    for (int j = sl_imax(cj - NAVIGATION_NEAR, 0); j <= sl_imin(cj + NAVIGATION_NEAR, r->cells - 1); j++) {
        uint64_t taken = (w->walls[j] | w->holes[j]) & window;
        float low_z = ((float)j * NAVIGATION_CELL - r->half) - w->pose.z;
        for (int i = first; taken >> i; i++)
            if ((taken >> i) & 1u) navigation_meet(rays, ((float)i * NAVIGATION_CELL - r->half) - w->pose.x, low_z);
    }
}
