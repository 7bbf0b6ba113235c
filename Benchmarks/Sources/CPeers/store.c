#include "store.h"

#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

peers_store *peers_store_open(
  peers_kind kind, const char *folder, size_t size, peers_durability durability) {
  peers_store *store = NULL;
  switch (kind) {
    case peers_memory: store = memory_store_open(); break;
    case peers_lmdb: store = lmdb_store_open(folder, size, durability); break;
    case peers_sqlite: store = sqlite_store_open(folder, durability); break;
    case peers_raw: store = file_store_open(folder, size, false, false); break;
    case peers_renamed: store = file_store_open(folder, size, false, true); break;
    case peers_png: store = file_store_open(folder, size, true, false); break;
  }
  if (store == NULL) return NULL;
  store->size = size;
  store->durability = durability;
  return store;
}

void peers_store_close(peers_store *store) { store->calls->close(store); }

void peers_store_share_reads(peers_store *store, bool share) { store->shares_reads = share; }

bool peers_store_put(
  peers_store *store, const peers_id *ids, const uint8_t *pixels, size_t count) {
  return store->calls->put(store, ids, pixels, count);
}

bool peers_store_get(peers_store *store, const peers_id *ids, size_t count, uint64_t *sum) {
  return store->calls->get(store, ids, count, sum);
}

__attribute__((target("avx2"))) static uint64_t sum_avx2(const __m256i *words, size_t count) {
  __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
  for (size_t i = 0; i < count / 32; i += 4) {
    a = _mm256_add_epi64(a, _mm256_loadu_si256(words + i));
    b = _mm256_add_epi64(b, _mm256_loadu_si256(words + i + 1));
    c = _mm256_add_epi64(c, _mm256_loadu_si256(words + i + 2));
    d = _mm256_add_epi64(d, _mm256_loadu_si256(words + i + 3));
  }
  uint64_t parts[4];
  a = _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d));
  _mm256_storeu_si256((__m256i *)parts, a);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

uint64_t peers_sum(const void *bytes, size_t count) {
  if (__builtin_cpu_supports("avx2")) return sum_avx2(bytes, count);
  const uint64_t *words = bytes;
  uint64_t sum = 0;
  for (size_t i = 0; i < count / 8; i++) sum += words[i];
  return sum;
}

// The bare minimum: memory and a hash table in which every look-up is one comparison.
typedef struct {
  peers_store base;
  const uint8_t *pixels;
  const peers_id *ids;
  uint32_t *places;  // 1 + the index, 0 where there is none
  size_t mask;
} memory_store;

static bool memory_put(
  peers_store *store, const peers_id *ids, const uint8_t *pixels, size_t count) {
  memory_store *memory = (memory_store *)store;
  free(memory->places);
  size_t places = 16;
  while (places < 2 * count) places *= 2;
  memory->places = calloc(places, sizeof *memory->places);
  if (memory->places == NULL) return false;
  memory->mask = places - 1;
  memory->pixels = pixels;
  memory->ids = ids;
  for (size_t i = 0; i < count; i++) {
    size_t place = ids[i].low & memory->mask;
    while (memory->places[place] != 0) place = (place + 1) & memory->mask;
    memory->places[place] = (uint32_t)(i + 1);
  }
  return true;
}

static bool memory_get(peers_store *store, const peers_id *ids, size_t count, uint64_t *sum) {
  memory_store *memory = (memory_store *)store;
  for (size_t i = 0; i < count; i++) {
    size_t place = ids[i].low & memory->mask;
    while (memory->places[place] != 0) {
      size_t index = memory->places[place] - 1;
      if (memory->ids[index].low == ids[i].low && memory->ids[index].high == ids[i].high) break;
      place = (place + 1) & memory->mask;
    }
    if (memory->places[place] == 0) return false;
    take(memory->pixels + (memory->places[place] - 1) * store->size, store->size, sum);
  }
  return true;
}

static void memory_close(peers_store *store) {
  free(((memory_store *)store)->places);
  free(store);
}

peers_store *memory_store_open(void) {
  static const store_calls calls = {memory_put, memory_get, memory_close};
  memory_store *memory = calloc(1, sizeof *memory);
  if (memory == NULL) return NULL;
  memory->base.calls = &calls;
  return &memory->base;
}
