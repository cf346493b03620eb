// head.h: what a batch knows of one world beside its state, on the CPU (vector.h) and on a GPU (cuda/engine.cu).
#ifndef SL_HEAD_H
#define SL_HEAD_H

#include "rng.h"

typedef enum { SL_NEVER_RESET, SL_LIVE, SL_ENDED } SlState;

// The first episode plays `root` itself; later ones play seeds split from it, so an episode depends on nothing but
// its world's root and its number. `length` and `invalid` count steps and invalid actions of the episode in progress.
typedef struct { uint64_t root; int32_t episode, state, length, invalid; } SlHead;

SL_FN uint64_t sl_episode_seed(const SlHead *head) {
    return head->episode ? sl_seed_split(head->root, (uint64_t)head->episode) : head->root;
}

#endif
