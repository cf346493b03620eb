// spec.h: for programs beside the library, what they need of a game's own JSON. The text comes from our
// describe.h, always in the same order, so looking for a key is enough and no JSON reader is needed.
#ifndef SL_TEST_SPEC_H
#define SL_TEST_SPEC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../abi/sandlot.h"
#include "../common/base.h"

#define SPEC_KNOBS 512
#define SPEC_BOTS 16

typedef struct {
    char *json;
    double knobs[SPEC_KNOBS];       // as they will be passed to sl_create
    int knob_count;
    int agents, observation, actions, action_size, masked, info;
    int bot_levels[SPEC_BOTS], bot_count;
} Spec;

SL_HOST_FN void spec_fail(const char *what, const char *detail) {
    fprintf(stderr, "%s%s\n", what, detail);
    exit(2);
}

// The text after `"key":`, looked for from `text` on.
SL_HOST_FN const char *spec_find(const char *text, const char *key) {
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = text ? strstr(text, quoted) : NULL;
    if (!found) spec_fail("the game's description lacks ", key);
    return found + strlen(quoted);
}

SL_HOST_FN int spec_number(const char *text, const char *key) { return (int)strtod(spec_find(text, key), NULL); }

// Where the list after "key" ends; lists in it are skipped.
SL_HOST_FN const char *spec_list_end(const char *list) {
    int depth = 0;
    do {
        depth += (*list == '[') - (*list == ']');
        list++;
    } while (depth && *list);
    return list;
}

SL_HOST_FN char *spec_describe(const char *game, const double *knobs, int count) {
    int64_t size = sl_describe(game, knobs, count, NULL, 0);
    if (size < 0) spec_fail(sl_why(), "");
    char *json = (char *)calloc(1, (size_t)size + 1);
    if (!json || sl_describe(game, knobs, count, json, size) != size) spec_fail("no memory for the description", "");
    return json;
}

// The next entry of a list of named things, or null at its end.
SL_HOST_FN const char *spec_next_entry(const char *at, const char *end) {
    at = strstr(at, "{\"name\":");
    return at && at < end ? at : NULL;
}

SL_HOST_FN void spec_read_knobs(Spec *spec, int profile) {
    const char *at = spec_find(spec->json, "knobs"), *end = spec_list_end(at);
    while ((at = spec_next_entry(at, end)) && spec->knob_count < SPEC_KNOBS) {
        const char *value = spec_find(at, "defaults") + 1;
        for (int p = 0; p < profile; p++) value = strchr(value, ',') + 1;
        spec->knobs[spec->knob_count++] = strtod(value, NULL);
        at++;
    }
}

SL_HOST_FN void spec_read_bots(Spec *spec) {
    const char *at = spec_find(spec->json, "bots"), *end = spec_list_end(at);
    while ((at = spec_next_entry(at, end)) && spec->bot_count < SPEC_BOTS)
        spec->bot_levels[spec->bot_count++] = spec_number(at++, "levels");
}

// A setting by its name and number; a choice by its index.
SL_HOST_FN void spec_set(Spec *spec, const char *name, double value) {
    char entry[128];
    snprintf(entry, sizeof entry, "{\"name\":\"%s\"", name);
    const char *at = spec_find(spec->json, "knobs"), *end = spec_list_end(at);
    for (int i = 0; (at = spec_next_entry(at, end)); i++, at++)
        if (!strncmp(at, entry, strlen(entry))) { spec->knobs[i] = value; return; }
    spec_fail("there is no setting called ", name);
}

// "name=number", as on a command line.
SL_HOST_FN void spec_set_pair(Spec *spec, const char *pair) {
    char name[96];
    const char *sign = strchr(pair, '=');
    if (!sign || sign - pair >= (long)sizeof name) spec_fail("--set takes NAME=NUMBER, not ", pair);
    snprintf(name, sizeof name, "%.*s", (int)(sign - pair), pair);
    spec_set(spec, name, strtod(sign + 1, NULL));
}

// Defaults of the profile; change them with spec_set, then spec_close.
SL_HOST_FN void spec_open(Spec *spec, const char *game, int profile) {
    memset(spec, 0, sizeof *spec);
    spec->json = spec_describe(game, NULL, 0);
    spec_read_knobs(spec, profile);
    spec_read_bots(spec);
}

// The shape under the settings chosen.
SL_HOST_FN void spec_close(Spec *spec, const char *game) {
    free(spec->json);
    spec->json = spec_describe(game, spec->knobs, spec->knob_count);
    const char *shape = strstr(spec->json, "\"shape\":{");      // fields have a shape too, but a list
    spec->agents = spec_number(shape, "agents");
    spec->observation = spec_number(shape, "observation");
    spec->actions = spec_number(shape, "actions");
    spec->action_size = spec_number(shape, "action_size");
    spec->masked = !strncmp(spec_find(shape, "masked"), "true", 4);
    spec->info = spec_number(shape, "info");
}

// Where a named field of a block ("info", "render", "episode") begins.
SL_HOST_FN int spec_field(const Spec *spec, const char *block, const char *name) {
    char list[64], entry[128];
    snprintf(list, sizeof list, "\"%s\":[", block);
    snprintf(entry, sizeof entry, "{\"name\":\"%s\"", name);
    const char *at = strstr(spec->json, list);
    at = at ? strstr(at, entry) : NULL;
    if (!at) spec_fail("the game's description has no field ", name);
    return spec_number(at, "start");
}

#endif
