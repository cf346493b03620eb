// describe.h: tables to JSON. Everything that Python, the site, Godot and the docs know about a game
// comes out of here, so that no size, name or range is written a second time.
#ifndef SL_DESCRIBE_H
#define SL_DESCRIBE_H

#include "game.h"
#include "hash.h"

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

// Letter by letter, then the end, so that "ab", "c" is not "a", "bc".
SL_HOST_FN void sl_hash_name(SlText *t, const char *name) {
    for (; *name; name++) t->hash = sl_hash_word(t->hash, (uint64_t)(unsigned char)*name);
    t->hash = sl_hash_word(t->hash, 0);
}

SL_HOST_FN void sl_hash_number(SlText *t, double x) { t->hash = sl_hash_bytes(t->hash, &x, sizeof x); }

// The part of a spec's hash that is no field or action: another game, version, shape or setting is another spec.
// Info and render blocks do not count: they change what no policy sees.
SL_HOST_FN void sl_hash_spec(SlText *t, const SlGame *game, const double *knobs, const SlShape *s) {
    const int sizes[] = { s->agents, s->observation, s->actions, s->action_size, s->masked, s->episode };
    t->hash = SL_HASH_START;
    sl_hash_name(t, game->name);
    sl_hash_name(t, game->version);
    for (int i = 0; i < SL_COUNT(sizes); i++) sl_hash_number(t, (double)sizes[i]);
    for (int i = 0; i < game->knob_count; i++) sl_hash_number(t, knobs ? knobs[i] : game->knobs[i].defaults[0]);
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

// The observation's fields, which count for the hash.
SL_HOST_FN void sl_describe_observation(SlText *t, const SlField *fields, int count) {
    for (int i = 0; i < count; i++) {
        sl_hash_name(t, fields[i].name);
        sl_hash_number(t, fields[i].rows);
        sl_hash_number(t, fields[i].columns);
    }
    sl_describe_fields(t, "observation", fields, count);
}

// "key": [{name, group, text, kind}, ...]; a role's own actions stand under its name in "role_actions".
SL_HOST_FN void sl_describe_actions_as(SlText *t, const char *key, const SlAction *actions, int count) {
    sl_key(t, key);
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_hash_name(t, actions[i].name);
        sl_key_string(t, "name", actions[i].name);
        sl_key_string(t, "group", actions[i].group);
        sl_key_string(t, "text", actions[i].text);
        sl_key_string(t, "kind", actions[i].kind);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_actions(SlText *t, const SlAction *actions, int count) {
    sl_describe_actions_as(t, "actions", actions, count);
}

// Why settings are refused: a buffer of the caller.
typedef struct { char *why; size_t room; } SlRefusal;

// Writes "before number after" as the reason; always -1, for `return sl_refuse(...)`.
SL_HOST_FN int sl_refuse(const SlRefusal *refusal, const char *before, double number, const char *after) {
    SlText t = { refusal->why, (int64_t)refusal->room - 1, 0, 0, 0 };
    if (refusal->room == 0) return -1;
    sl_put_raw(&t, before);
    sl_put_number(&t, number);
    sl_put_raw(&t, after);
    refusal->why[t.used < t.room ? t.used : t.room] = 0;
    return -1;
}

// "key": [{name: text, ...}, ...], of a table whose rows are texts only; names: "a|b|c".
SL_HOST_FN void sl_describe_rows(SlText *t, const char *key, const char *names, const void *rows, int count) {
    const char *const *text = (const char *const *)rows;
    sl_key(t, key);
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        for (const char *at = names; *at; text++) {
            char name[64];
            int n = 0;
            while (*at && *at != '|' && n < 63) name[n++] = *at++;
            if (*at == '|') at++;
            name[n] = 0;
            sl_key_string(t, name, *text);
        }
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_terms(SlText *t, const SlTerm *terms, int count) {
    sl_describe_rows(t, "reward_terms", "name|role|knob|text", terms, count);
}

// Like sl_describe_terms, with how each term could be abused and what it can sum up to in an episode. The first
// `shaping` terms guide, the others pay for outcomes.
SL_HOST_FN void sl_describe_bounded_terms(SlText *t, const SlTerm *terms, const char *const *pitfalls, const float *low,
                                          const float *high, int shaping, int count) {
    sl_key(t, "reward_terms");
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "name", terms[i].name);
        sl_key_string(t, "role", terms[i].role);
        sl_key_string(t, "knob", terms[i].knob);
        sl_key_string(t, "text", terms[i].text);
        sl_key_string(t, "pitfall", pitfalls[i]);
        sl_key(t, "shaping");
        sl_bool(t, i < shaping);
        sl_key_number(t, "low", (double)low[i]);
        sl_key_number(t, "high", (double)high[i]);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

// "meaning": [{field, kind, better, headline, group}, ...].
SL_HOST_FN void sl_describe_meaning(SlText *t, const SlMeaning *rows, int count) {
    sl_key(t, "meaning");
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "field", rows[i].field);
        sl_key_string(t, "kind", rows[i].kind);
        sl_key_string(t, "better", rows[i].better);
        sl_key(t, "headline");
        sl_bool(t, rows[i].headline);
        sl_key_string(t, "group", rows[i].group ? rows[i].group : "");  // most rows leave the last column out
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

SL_HOST_FN void sl_describe_outcomes(SlText *t, const SlOutcome *rows, int count) {
    sl_describe_rows(t, "outcomes", "role|field|equals|means", rows, count);    // `equals` is a label of the field
}

SL_HOST_FN void sl_describe_role_styles(SlText *t, const SlRoleStyle *rows, int count) {
    sl_describe_rows(t, "role_styles", "role|colour|on_dark|best|won", rows, count);
}

SL_HOST_FN void sl_describe_charts(SlText *t, const SlChartLine *rows, int count) {
    sl_describe_rows(t, "charts", "chart|title|panel|unit|column|line|colour", rows, count);
}

// "default_bots": {role: bot, ...}.
SL_HOST_FN void sl_describe_default_bots(SlText *t, const SlDefaultBot *rows, int count) {
    sl_key(t, "default_bots");
    sl_open(t, '{');
    for (int i = 0; i < count; i++) sl_key_string(t, rows[i].role, rows[i].bot);
    sl_close(t, '}');
}

// "compared_by": {bot: field, ...}.
SL_HOST_FN void sl_describe_comparisons(SlText *t, const SlComparison *rows, int count) {
    sl_key(t, "compared_by");
    sl_open(t, '{');
    for (int i = 0; i < count; i++) sl_key_string(t, rows[i].bot, rows[i].field);
    sl_close(t, '}');
}

// "aliases": [{field, alias, milestones}, ...].
SL_HOST_FN void sl_describe_aliases(SlText *t, const SlAlias *rows, int count) {
    sl_key(t, "aliases");
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "field", rows[i].field);
        sl_key_string(t, "alias", rows[i].alias);
        sl_key(t, "milestones");
        sl_describe_list(t, rows[i].milestones);
        sl_close(t, '}');
    }
    sl_close(t, ']');
}

// "derived": [{name, kind, above, below, factor}, ...].
SL_HOST_FN void sl_describe_derived(SlText *t, const SlDerived *rows, int count) {
    sl_key(t, "derived");
    sl_open(t, '[');
    for (int i = 0; i < count; i++) {
        sl_open(t, '{');
        sl_key_string(t, "name", rows[i].name);
        sl_key_string(t, "kind", rows[i].kind);
        sl_key_string(t, "above", rows[i].above);
        sl_key_string(t, "below", rows[i].below);
        sl_key_number(t, "factor", rows[i].factor);
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
