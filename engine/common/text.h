// text.h: writes JSON into a caller's buffer. It counts what it could not write, so one call with
// no room tells how much is needed. Host side only: cores never make text.
#ifndef SL_TEXT_H
#define SL_TEXT_H

#include "base.h"

typedef struct {
    char *out;          // may be null when room is 0
    int64_t room, used; // bytes; used may exceed room
    int comma;          // 1 when the next value needs a comma before it
    uint64_t hash;      // of what decides whether a policy or replay fits: see sl_hash_spec in describe.h
} SlText;

SL_HOST_FN void sl_put_char(SlText *t, char c) {
    if (t->used < t->room) t->out[t->used] = c;
    t->used++;
}

SL_HOST_FN void sl_put_raw(SlText *t, const char *s) { while (*s) sl_put_char(t, *s++); }

SL_HOST_FN void sl_put_comma(SlText *t) {
    if (t->comma) sl_put_char(t, ',');
    t->comma = 1;
}

SL_HOST_FN void sl_put_quoted(SlText *t, const char *s) {
    sl_put_char(t, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') sl_put_char(t, '\\');
        sl_put_char(t, *s);
    }
    sl_put_char(t, '"');
}

SL_HOST_FN void sl_put_digits(SlText *t, uint64_t n) {
    char digits[20];
    int count = 0;
    do { digits[count++] = (char)('0' + n % 10); n /= 10; } while (n);
    while (count) sl_put_char(t, digits[--count]);
}

// Nine decimal places at the most, trailing zeros dropped: enough for every float in a table.
SL_HOST_FN void sl_put_number(SlText *t, double x) {
    if (x < 0) { sl_put_char(t, '-'); x = -x; }
    uint64_t whole = (uint64_t)x;
    uint64_t billionths = (uint64_t)((x - (double)whole) * 1e9 + 0.5);
    if (billionths == 1000000000u) { whole++; billionths = 0; }
    sl_put_digits(t, whole);
    if (!billionths) return;
    sl_put_char(t, '.');
    for (uint64_t place = 100000000u; billionths; place /= 10) {
        sl_put_char(t, (char)('0' + billionths / place));
        billionths %= place;
    }
}

SL_HOST_FN void sl_key(SlText *t, const char *key) {
    sl_put_comma(t);
    sl_put_quoted(t, key);
    sl_put_char(t, ':');
    t->comma = 0;
}

SL_HOST_FN void sl_open(SlText *t, char bracket) { sl_put_comma(t); sl_put_char(t, bracket); t->comma = 0; }
SL_HOST_FN void sl_close(SlText *t, char bracket) { sl_put_char(t, bracket); t->comma = 1; }
SL_HOST_FN void sl_string(SlText *t, const char *s) { sl_put_comma(t); sl_put_quoted(t, s); }
SL_HOST_FN void sl_number(SlText *t, double x) { sl_put_comma(t); sl_put_number(t, x); }
SL_HOST_FN void sl_bool(SlText *t, int b) { sl_put_comma(t); sl_put_raw(t, b ? "true" : "false"); }

SL_HOST_FN void sl_key_string(SlText *t, const char *key, const char *s) { sl_key(t, key); sl_string(t, s); }
// Sixteen hex digits.
SL_HOST_FN void sl_key_hex(SlText *t, const char *key, uint64_t x) {
    char digits[17];
    for (int i = 0; i < 16; i++) digits[i] = "0123456789abcdef"[(x >> (60 - 4 * i)) & 15];
    digits[16] = 0;
    sl_key(t, key);
    sl_string(t, digits);
}
SL_HOST_FN void sl_key_number(SlText *t, const char *key, double x) { sl_key(t, key); sl_number(t, x); }

#endif
