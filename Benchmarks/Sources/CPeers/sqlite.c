// SQLite, set up for blobs: write-ahead log, mapped reads, rows by a 64-bit key, which is the
// quickest look-up it has.
#include "store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  peers_store base;
  sqlite3 *database;
  sqlite3_stmt *select, *insert;
  pthread_mutex_t lock;  // writers share one statement
} sqlite_store;

const char *peers_sqlite_version(void) { return sqlite3_libversion(); }

static bool run(sqlite_store *store, const char *statement) {
  return sqlite3_exec(store->database, statement, NULL, NULL, NULL) == SQLITE_OK;
}

static bool insert(sqlite_store *store, peers_id id, const uint8_t *pixels) {
  sqlite3_bind_int64(store->insert, 1, (sqlite3_int64)id.low);
  sqlite3_bind_blob(store->insert, 2, pixels, (int)store->base.size, SQLITE_STATIC);
  bool done = sqlite3_step(store->insert) == SQLITE_DONE;
  return sqlite3_reset(store->insert) == SQLITE_OK && done;
}

static bool sqlite_put(
  peers_store *base, const peers_id *ids, const uint8_t *pixels, size_t count) {
  sqlite_store *store = (sqlite_store *)base;
  bool together = base->durability != peers_synced, done = true;
  if (together && !run(store, "BEGIN")) return false;
  for (size_t i = 0; i < count && done; i++) {
    pthread_mutex_lock(&store->lock);
    done = insert(store, ids[i], pixels + i * base->size);
    pthread_mutex_unlock(&store->lock);
  }
  return (!together || run(store, "COMMIT")) && done;
}

static bool sqlite_get(peers_store *base, const peers_id *ids, size_t count, uint64_t *sum) {
  sqlite_store *store = (sqlite_store *)base;
  bool found = true;
  for (size_t i = 0; i < count && found; i++) {
    sqlite3_bind_int64(store->select, 1, (sqlite3_int64)ids[i].low);
    found = sqlite3_step(store->select) == SQLITE_ROW &&
            sqlite3_column_bytes(store->select, 0) == (int)base->size;
    if (found) take(sqlite3_column_blob(store->select, 0), base->size, sum);
    sqlite3_reset(store->select);
  }
  return found;
}

static void sqlite_close(peers_store *base) {
  sqlite_store *store = (sqlite_store *)base;
  sqlite3_finalize(store->select);
  sqlite3_finalize(store->insert);
  sqlite3_close(store->database);
  pthread_mutex_destroy(&store->lock);
  free(store);
}

peers_store *sqlite_store_open(const char *folder, peers_durability durability) {
  static const store_calls calls = {sqlite_put, sqlite_get, sqlite_close};
  sqlite_store *store = calloc(1, sizeof *store);
  if (store == NULL) return NULL;
  store->base.calls = &calls;
  pthread_mutex_init(&store->lock, NULL);
  char path[4096];
  snprintf(path, sizeof path, "%s/pictures.sqlite", folder);
  bool opened =
    sqlite3_open(path, &store->database) == SQLITE_OK && run(store, "PRAGMA journal_mode=WAL") &&
    run(store, durability == peers_unsynced ? "PRAGMA synchronous=OFF" : "PRAGMA synchronous=FULL") &&
    run(store, "PRAGMA mmap_size=2000000000") &&
    run(store, "CREATE TABLE IF NOT EXISTS picture(id INTEGER PRIMARY KEY, pixels BLOB)") &&
    sqlite3_prepare_v2(store->database, "SELECT pixels FROM picture WHERE id=?", -1,
                       &store->select, NULL) == SQLITE_OK &&
    sqlite3_prepare_v2(store->database, "INSERT OR REPLACE INTO picture VALUES(?, ?)", -1,
                       &store->insert, NULL) == SQLITE_OK;
  if (opened) return &store->base;
  sqlite_close(&store->base);
  return NULL;
}
