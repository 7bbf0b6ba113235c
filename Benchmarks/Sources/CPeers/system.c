#define _GNU_SOURCE
#include "CPeers.h"

#include <dlfcn.h>
#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

uint64_t peers_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t peers_ticks(void) {
  _mm_lfence();
  uint64_t ticks = __builtin_ia32_rdtsc();
  _mm_lfence();
  return ticks;
}

uint64_t peers_cpu_nanoseconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  uint64_t seconds = (uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec;
  uint64_t micros = (uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec;
  return seconds * 1000000000u + micros * 1000u;
}

__attribute__((noinline)) void peers_consume(const void *value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}

enum { most_threads = 16 };

typedef struct {
  void (*body)(void *context, int index);
  void *context;
  int index;
} share;

static void *begin(void *argument) {
  share *s = argument;
  s->body(s->context, s->index);
  return NULL;
}

bool peers_in_parallel(int threads, void (*body)(void *context, int index), void *context) {
  pthread_t handles[most_threads];
  share shares[most_threads];
  if (threads > most_threads) return false;
  int started = 0;
  for (; started < threads; started++) {
    shares[started] = (share){body, context, started};
    if (pthread_create(&handles[started], NULL, begin, &shares[started]) != 0) break;
  }
  for (int i = 0; i < started; i++) pthread_join(handles[i], NULL);
  return started == threads;
}

// The allocator's entry points, counted. glibc lets a program define them and keeps its own under
// the names with __libc_ in front.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local uint64_t allocations;

uint64_t peers_allocations(void) { return allocations; }

// What all threads ask for while it is counted.
static bool is_counting;
static uint64_t counted_allocations, counted_locks;

void peers_count(bool counts) {
  __atomic_store_n(&is_counting, counts, __ATOMIC_SEQ_CST);
  if (counts) counted_allocations = counted_locks = 0;
}

uint64_t peers_counted_allocations(void) { return counted_allocations; }
uint64_t peers_counted_locks(void) { return counted_locks; }

static inline void count(uint64_t *number) {
  if (__builtin_expect(__atomic_load_n(&is_counting, __ATOMIC_RELAXED), false)) {
    __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
  }
}

static inline void note_allocation(void) {
  allocations++;
  count(&counted_allocations);
}

// Two threads that look it up at once find the same function.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*lock)(pthread_mutex_t *mutex);
  int (*known)(pthread_mutex_t *mutex) = __atomic_load_n(&lock, __ATOMIC_RELAXED);
  if (known == NULL) {
    *(void **)&known = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    __atomic_store_n(&lock, known, __ATOMIC_RELAXED);
  }
  count(&counted_locks);
  return known(mutex);
}

void *malloc(size_t size) {
  note_allocation();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note_allocation();
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  note_allocation();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  note_allocation();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *block = memory;
  return 0;
}
