// describe.h: tables to JSON. Everything that Python, the site, Godot and the docs know about a game
// comes out of here, so that no size, name or range is written a second time.
#ifndef SL_DESCRIBE_H
#define SL_DESCRIBE_H

#include "game.h"

#define SL_COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

// "a|b|c" as ["a","b","c"]; an empty text as [].
SL_HOST_FN void sl_describe_list(SlText *t, const char *names) {
    char name[64];
    sl_open(t, '[');
    while (names && *names) {
        int n = 0;
        while (*names && *names != '|' && n < 63) name[n++] = *names++;
        if (*names == '|') names++;
        name[n] = 0;
        sl_string(t, name);
    }
    sl_close(t, ']');
}

SL_HOST_FN int sl_fields_size(const SlField *fields, int count) {
    int size = 0;
    for (int i = 0; i < count; i++) size += fields[i].rows * fields[i].columns;
    return size;
}

// "key": [{name, start, shape, low, high, unit, labels, text}, ...]; fields lie one after the other.
SL_HOST_FN void sl_describe_fields(SlText *t, const char *key, const SlField *fields, int count) {
    int start = 0;
    sl_key(t, key);
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        const SlField *f = &fields[i];
        sl_open(t, '{');
        sl_key_string(t, "name", f->name);
        sl_key_number(t, "start", start);
        sl_key(t, "shape");
        sl_open(t, '[');
        if (f->rows > 1 || f->columns == 1) sl_number(t, f->rows);
        if (f->columns > 1) sl_number(t, f->columns);
        sl_close(t, ']');
        if (f->low < f->high) { sl_key_number(t, "low", f->low); sl_key_number(t, "high", f->high); }
        sl_key_string(t, "unit", f->unit);
        sl_key(t, "labels");
        sl_describe_list(t, f->labels);
        sl_key_string(t, "text", f->text);
        sl_close(t, '}');
        start += f->rows * f->columns;
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_actions(SlText *t, const SlAction *actions, int count) {
    sl_key(t, "actions");
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "name", actions[i].name);
        sl_key_string(t, "group", actions[i].group);
        sl_key_string(t, "text", actions[i].text);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_terms(SlText *t, const SlTerm *terms, int count) {
    sl_key(t, "reward_terms");
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "name", terms[i].name);
        sl_key_string(t, "role", terms[i].role);
        sl_key_string(t, "knob", terms[i].knob);
        sl_key_string(t, "text", terms[i].text);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_events(SlText *t, const SlEventKind *kinds, int count) {
    sl_key(t, "events");
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "name", kinds[i].name);
        sl_key(t, "values");
        sl_describe_list(t, kinds[i].values);
        sl_key_string(t, "text", kinds[i].text);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_knobs(SlText *t, const SlGame *game) {
    SL_HOST_TABLE char *const kinds[] = { (char *)"float", (char *)"integer", (char *)"flag", (char *)"choice" };
    sl_key(t, "knobs");
    sl_open(t, '[');
    for (int i = 0; i < game->knob_count; i++) {
        const SlKnob *k = &game->knobs[i];
        sl_open(t, '{');
        sl_key_string(t, "name", k->name);
        sl_key_string(t, "kind", kinds[k->kind]);
        sl_key_number(t, "low", k->low);
        sl_key_number(t, "high", k->high);
        sl_key(t, "defaults");
        sl_open(t, '[');
        for (int p = 0; p < game->profile_count; p++) sl_number(t, k->defaults[p]);
        sl_close(t, ']');
        sl_key_string(t, "unit", k->unit);
        sl_key(t, "choices");
        sl_describe_list(t, k->choices);
        sl_key_string(t, "text", k->text);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_bots(SlText *t, const SlGame *game) {
    sl_key(t, "bots");
    sl_open(t, '[');
    for (int i = 0; i < game->bot_count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "name", game->bots[i].name);
        sl_key_number(t, "levels", game->bots[i].levels);
        sl_key_string(t, "role", game->bots[i].role);
        sl_key_string(t, "text", game->bots[i].text);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_shape(SlText *t, const SlShape *s) {
    sl_key(t, "shape");
    sl_open(t, '{');
    sl_key_number(t, "agents", s->agents);
    sl_key_number(t, "observation", s->observation);
    sl_key_number(t, "actions", s->actions);
    sl_key_number(t, "action_size", s->action_size);
    sl_key(t, "masked");
    sl_bool(t, s->masked);
    sl_key_number(t, "info", s->info);
    sl_key_number(t, "render", s->render);
    sl_key_number(t, "episode", s->episode);
    sl_close(t, '}');
}

#endif
