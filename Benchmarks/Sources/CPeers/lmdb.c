// LMDB, found at run time so that the benchmarks build without it.
#include "store.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef struct MDB_env MDB_env;
typedef struct MDB_txn MDB_txn;
typedef struct {
  size_t size;
  void *data;
} MDB_val;

enum {
  MDB_NOSYNC = 0x10000,
  MDB_RDONLY = 0x20000,
  MDB_NOTLS = 0x200000,
  MDB_NORDAHEAD = 0x800000,
  MDB_CREATE = 0x40000
};

static char *(*version)(int *major, int *minor, int *patch);
static int (*env_create)(MDB_env **env);
static int (*env_set_mapsize)(MDB_env *env, size_t size);
static int (*env_open)(MDB_env *env, const char *path, unsigned flags, unsigned mode);
static void (*env_close)(MDB_env *env);
static int (*txn_begin)(MDB_env *env, MDB_txn *parent, unsigned flags, MDB_txn **txn);
static int (*txn_commit)(MDB_txn *txn);
static void (*txn_abort)(MDB_txn *txn);
static void (*txn_reset)(MDB_txn *txn);
static int (*txn_renew)(MDB_txn *txn);
static int (*dbi_open)(MDB_txn *txn, const char *name, unsigned flags, unsigned *dbi);
static int (*get)(MDB_txn *txn, unsigned dbi, MDB_val *key, MDB_val *data);
static int (*put)(MDB_txn *txn, unsigned dbi, MDB_val *key, MDB_val *data, unsigned flags);

bool peers_lmdb_load(void) {
  static int state;  // 0 not tried, 1 there, 2 not
  if (state != 0) return state == 1;
  state = 2;
  void *lmdb = dlopen("liblmdb.so.0", RTLD_NOW | RTLD_LOCAL);
  if (lmdb == NULL) return false;
  version = dlsym(lmdb, "mdb_version");
  env_create = dlsym(lmdb, "mdb_env_create");
  env_set_mapsize = dlsym(lmdb, "mdb_env_set_mapsize");
  env_open = dlsym(lmdb, "mdb_env_open");
  env_close = dlsym(lmdb, "mdb_env_close");
  txn_begin = dlsym(lmdb, "mdb_txn_begin");
  txn_commit = dlsym(lmdb, "mdb_txn_commit");
  txn_abort = dlsym(lmdb, "mdb_txn_abort");
  txn_reset = dlsym(lmdb, "mdb_txn_reset");
  txn_renew = dlsym(lmdb, "mdb_txn_renew");
  dbi_open = dlsym(lmdb, "mdb_dbi_open");
  get = dlsym(lmdb, "mdb_get");
  put = dlsym(lmdb, "mdb_put");
  if (!version || !env_create || !env_set_mapsize || !env_open || !env_close || !txn_begin ||
      !txn_commit || !txn_abort || !txn_reset || !txn_renew || !dbi_open || !get || !put)
    return false;
  state = 1;
  return true;
}

const char *peers_lmdb_version(void) {
  static char text[32];
  if (!peers_lmdb_load()) return "";
  int major, minor, patch;
  version(&major, &minor, &patch);
  __builtin_snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
  return text;
}

typedef struct {
  peers_store base;
  MDB_env *env;
  MDB_txn *reader;  // reset between uses, as LMDB advises
  unsigned dbi;
} lmdb_store;

static bool lmdb_write(
  lmdb_store *store, const peers_id *ids, const uint8_t *pixels, size_t count) {
  MDB_txn *txn;
  if (txn_begin(store->env, NULL, 0, &txn) != 0) return false;
  for (size_t i = 0; i < count; i++) {
    size_t size = store->base.size;
    MDB_val key = {sizeof ids[i], (void *)&ids[i]}, data = {size, (void *)(pixels + i * size)};
    if (put(txn, store->dbi, &key, &data, 0) != 0) {
      txn_abort(txn);
      return false;
    }
  }
  return txn_commit(txn) == 0;
}

static bool lmdb_put(
  peers_store *base, const peers_id *ids, const uint8_t *pixels, size_t count) {
  lmdb_store *store = (lmdb_store *)base;
  if (base->durability != peers_synced) return lmdb_write(store, ids, pixels, count);
  for (size_t i = 0; i < count; i++)
    if (!lmdb_write(store, ids + i, pixels + i * base->size, 1)) return false;
  return true;
}

static bool lmdb_get(peers_store *base, const peers_id *ids, size_t count, uint64_t *sum) {
  lmdb_store *store = (lmdb_store *)base;
  bool shared = base->shares_reads, found = true;
  if (shared && txn_renew(store->reader) != 0) return false;
  for (size_t i = 0; i < count && found; i++) {
    if (!shared && txn_renew(store->reader) != 0) return false;
    MDB_val key = {sizeof ids[i], (void *)&ids[i]}, data;
    found = get(store->reader, store->dbi, &key, &data) == 0;
    if (found) take(data.data, base->size, sum);
    if (!shared) txn_reset(store->reader);
  }
  if (shared) txn_reset(store->reader);
  return found;
}

static void lmdb_close(peers_store *base) {
  lmdb_store *store = (lmdb_store *)base;
  if (store->reader != NULL) txn_abort(store->reader);
  if (store->env != NULL) env_close(store->env);
  free(store);
}

peers_store *lmdb_store_open(const char *folder, size_t size, peers_durability durability) {
  (void)size;
  static const store_calls calls = {lmdb_put, lmdb_get, lmdb_close};
  if (!peers_lmdb_load()) return NULL;
  lmdb_store *store = calloc(1, sizeof *store);
  if (store == NULL) return NULL;
  store->base.calls = &calls;
  unsigned flags = MDB_NOTLS | MDB_NORDAHEAD | (durability == peers_unsynced ? MDB_NOSYNC : 0);
  MDB_txn *txn = NULL;
  if (env_create(&store->env) != 0 || env_set_mapsize(store->env, 1u << 31) != 0 ||
      env_open(store->env, folder, flags, 0600) != 0 ||
      txn_begin(store->env, NULL, 0, &txn) != 0 ||
      dbi_open(txn, NULL, MDB_CREATE, &store->dbi) != 0 || txn_commit(txn) != 0 ||
      txn_begin(store->env, NULL, MDB_RDONLY, &store->reader) != 0) {
    lmdb_close(&store->base);
    return NULL;
  }
  txn_reset(store->reader);
  return &store->base;
}
