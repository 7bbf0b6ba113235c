// What each kind of store does; the caller has checked nothing but the pointers.
#pragma once

#include "CPeers.h"

typedef struct {
  bool (*put)(peers_store *store, const peers_id *ids, const uint8_t *pixels, size_t count);
  bool (*get)(peers_store *store, const peers_id *ids, size_t count, uint64_t *sum);
  void (*close)(peers_store *store);
} store_calls;

// The first member of every store.
struct peers_store {
  const store_calls *calls;
  size_t size;
  peers_durability durability;
  bool shares_reads;
};

peers_store *memory_store_open(void);
peers_store *lmdb_store_open(const char *folder, size_t size, peers_durability durability);
peers_store *sqlite_store_open(const char *folder, peers_durability durability);
peers_store *file_store_open(const char *folder, size_t size, bool png, bool careful);

// Reads the picture when the caller wants it read.
static inline void take(const void *pixels, size_t size, uint64_t *sum) {
  if (sum != NULL)
    *sum += peers_sum(pixels, size);
  else
    peers_consume(pixels);
}
