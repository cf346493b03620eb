// check.h: what a game's own test program counts and prints.
#ifndef SL_CHECK_H
#define SL_CHECK_H

#include <math.h>
#include <stdio.h>

static int failures, checks;

static void check(int good, const char *sentence, double got, double wanted) {
    checks++;
    if (good) return;
    failures++;
    printf("FAILED: %s (got %.9g, wanted %.9g)\n", sentence, got, wanted);
}

static void check_near(double got, double wanted, double tolerance, const char *sentence) {
    check(fabs(got - wanted) <= tolerance, sentence, got, wanted);
}

static void check_true(int good, const char *sentence) { check(good, sentence, good, 1); }

#endif
