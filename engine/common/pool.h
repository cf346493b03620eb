// pool.h: a few threads that live as long as a batch and share out its worlds. The caller's thread is
// one of them. Work is split into equal runs of worlds, so which thread does what never changes, and
// no result depends on it anyway. Host side only.
#ifndef SL_POOL_H
#define SL_POOL_H

#include "base.h"

typedef void (*SlWork)(void *context, int64_t first, int64_t last);

// Items first..last of `total` that part `part` of `parts` does.
SL_HOST_FN void sl_share(int64_t total, int part, int parts, int64_t *first, int64_t *last) {
    *first = total * part / parts;
    *last = total * (part + 1) / parts;
}

#if defined(SL_NO_THREADS)

typedef struct { int threads; } SlPool;
SL_HOST_FN int sl_pool_start(SlPool *pool, int threads) { (void)threads; pool->threads = 1; return 1; }
SL_HOST_FN void sl_pool_stop(SlPool *pool) { (void)pool; }
SL_HOST_FN void sl_pool_run(SlPool *pool, SlWork work, void *context, int64_t total) {
    (void)pool;
    work(context, 0, total);
}

#else

#if defined(_WIN32)
#include <windows.h>
typedef HANDLE SlThread;
typedef SRWLOCK SlLock;
typedef CONDITION_VARIABLE SlSignal;
#define SL_THREAD_RESULT DWORD WINAPI
#define SL_THREAD_END 0
#define sl_thread_start(thread, run, arg) ((*(thread) = CreateThread(NULL, 0, run, arg, 0, NULL)) != NULL)
#define sl_thread_join(thread) (WaitForSingleObject(thread, INFINITE), CloseHandle(thread))
#define sl_lock_init(lock) InitializeSRWLock(lock)
#define sl_lock(lock) AcquireSRWLockExclusive(lock)
#define sl_unlock(lock) ReleaseSRWLockExclusive(lock)
#define sl_signal_init(signal) InitializeConditionVariable(signal)
#define sl_wait(signal, lock) SleepConditionVariableSRW(signal, lock, INFINITE, 0)
#define sl_wake_all(signal) WakeAllConditionVariable(signal)
#define sl_yield() SwitchToThread()
#define sl_process() 0                                  // there is no fork
#else
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
typedef pthread_t SlThread;
typedef pthread_mutex_t SlLock;
typedef pthread_cond_t SlSignal;
#define SL_THREAD_RESULT void *
#define SL_THREAD_END NULL
#define sl_thread_start(thread, run, arg) (pthread_create(thread, NULL, run, arg) == 0)
#define sl_thread_join(thread) pthread_join(thread, NULL)
#define sl_lock_init(lock) pthread_mutex_init(lock, NULL)
#define sl_lock(lock) pthread_mutex_lock(lock)
#define sl_unlock(lock) pthread_mutex_unlock(lock)
#define sl_signal_init(signal) pthread_cond_init(signal, NULL)
#define sl_wait(signal, lock) pthread_cond_wait(signal, lock)
#define sl_wake_all(signal) pthread_cond_broadcast(signal)
#define sl_yield() sched_yield()
#define sl_process() ((int64_t)getpid())
#endif

// How long a waiting thread looks before it sleeps (or yields). A step of a batch lasts 0.1 to 2 ms and
// the next one follows within microseconds while training; a sleep costs about 50 us to wake from.
#define SL_SPINS 4000

struct SlPool;
typedef struct { struct SlPool *pool; SlThread thread; int part; } SlWorker;

typedef struct SlPool {
    int threads;                // with the caller's
    int sleeping;               // workers inside sl_wait, changed under the lock
    int stopping;
    uint32_t round;             // raised once a run; workers start when it moves
    int32_t running;            // workers not yet done with this round
    SlWork work;
    void *context;
    int64_t total;
    SlLock lock;
    SlSignal signal;
    SlWorker *workers;          // [threads], entry 0 unused; memory is the caller's
    int64_t process;            // that started the workers: a fork copies the pool, but no thread
} SlPool;

SL_HOST_FN void sl_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

SL_HOST_FN void sl_pool_part(SlPool *pool, int part) {
    int64_t first, last;
    sl_share(pool->total, part, pool->threads, &first, &last);
    if (first < last) pool->work(pool->context, first, last);
}

// Returns when the round has moved past `seen`: first by looking, then asleep.
SL_HOST_FN void sl_pool_await(SlPool *pool, uint32_t seen) {
    for (int i = 0; i < SL_SPINS; i++) {
        if (__atomic_load_n(&pool->round, __ATOMIC_ACQUIRE) != seen) return;
        sl_pause();
    }
    sl_lock(&pool->lock);
    pool->sleeping++;
    while (__atomic_load_n(&pool->round, __ATOMIC_ACQUIRE) == seen) sl_wait(&pool->signal, &pool->lock);
    pool->sleeping--;
    sl_unlock(&pool->lock);
}

SL_HOST_FN SL_THREAD_RESULT sl_pool_thread(void *argument) {
    SlWorker *worker = (SlWorker *)argument;
    SlPool *pool = worker->pool;
    for (uint32_t seen = 0;; seen++) {
        sl_pool_await(pool, seen);
        if (pool->stopping) return SL_THREAD_END;
        sl_pool_part(pool, worker->part);
        __atomic_sub_fetch(&pool->running, 1, __ATOMIC_RELEASE);
    }
}

SL_HOST_FN void sl_pool_begin(SlPool *pool) {
    __atomic_store_n(&pool->running, pool->threads - 1, __ATOMIC_RELAXED);
    sl_lock(&pool->lock);
    __atomic_add_fetch(&pool->round, 1, __ATOMIC_RELEASE);
    if (pool->sleeping) sl_wake_all(&pool->signal);
    sl_unlock(&pool->lock);
}

// Returns how many threads run; fewer than asked for when the system gives no more.
SL_HOST_FN int sl_pool_start(SlPool *pool, int threads) {
    sl_lock_init(&pool->lock);
    sl_signal_init(&pool->signal);
    pool->process = sl_process();
    pool->round = 0;
    pool->sleeping = 0;
    pool->threads = threads;
    for (int i = 1; i < threads; i++) {
        pool->workers[i].pool = pool;
        pool->workers[i].part = i;
        if (!sl_thread_start(&pool->workers[i].thread, sl_pool_thread, &pool->workers[i])) {
            pool->threads = i;
            break;
        }
    }
    return pool->threads;
}

SL_HOST_FN void sl_pool_run(SlPool *pool, SlWork work, void *context, int64_t total) {
    if (pool->threads > 1 && pool->process != sl_process()) sl_pool_start(pool, pool->threads);
    pool->work = work;
    pool->context = context;
    pool->total = total;
    if (pool->threads > 1) sl_pool_begin(pool);
    sl_pool_part(pool, 0);
    for (int spins = 0; pool->threads > 1 && __atomic_load_n(&pool->running, __ATOMIC_ACQUIRE) > 0;)
        if (++spins < SL_SPINS) sl_pause(); else sl_yield();
}

SL_HOST_FN void sl_pool_stop(SlPool *pool) {
    if (pool->threads < 2 || pool->process != sl_process()) return;
    pool->stopping = 1;
    sl_pool_begin(pool);
    for (int i = 1; i < pool->threads; i++) sl_thread_join(pool->workers[i].thread);
}

#endif
#endif
