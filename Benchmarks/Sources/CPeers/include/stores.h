// Stores for small decoded pictures, each used as its authors advise, with one interface.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A 128-bit id of a picture.
typedef struct {
  uint64_t high, low;
} peers_id;

/// What keeps the pictures.
typedef enum {
  /// Ordinary memory and a hash table: the lower bound.
  peers_memory,
  /// LMDB, found at run time.
  peers_lmdb,
  /// An SQLite table of blobs, write-ahead log, mapped.
  peers_sqlite,
  /// One file of plain bytes each, written over.
  peers_raw,
  /// The same by a careful program: a new file that is renamed, and memory of the size that `fstat` gives.
  peers_renamed,
  /// One PNG file each, libpng's usual settings.
  peers_png,
} peers_kind;

/// What a write waits for.
typedef enum {
  /// One transaction for the whole call, left to the kernel to write.
  peers_unsynced,
  /// One transaction for each picture, on the disk before the call returns.
  peers_synced,
  /// One transaction for the whole call, on the disk before it returns.
  peers_grouped,
} peers_durability;

typedef struct peers_store peers_store;

/// Loads LMDB when it is installed; false when it is not.
bool peers_lmdb_load(void);
/// The version of the LMDB that was loaded, such as 0.9.24.
const char *peers_lmdb_version(void);
/// The version of SQLite.
const char *peers_sqlite_version(void);

/// Opens or makes a store in `folder`, which exists; NULL when that fails.
///
/// Pictures are `size` bytes, as BGRA pixels in a square where the store cares.
peers_store *_Nullable peers_store_open(
  peers_kind kind, const char *folder, size_t size, peers_durability durability);
void peers_store_close(peers_store *store);

/// Puts `count` pictures that lie one after the other in `pixels`.
///
/// Memory keeps the pointers instead of copies, of the last call only.
bool peers_store_put(
  peers_store *store, const peers_id *ids, const uint8_t *pixels, size_t count);

/// Gets `count` pictures one after the other; false when one is missing.
///
/// `sum` is null, or grows by the 64-bit words of each picture: every byte is then read.
bool peers_store_get(
  peers_store *store, const peers_id *ids, size_t count, uint64_t *_Nullable sum);

/// Lets LMDB's reads of one call share a transaction: what it gives then is valid for that call.
void peers_store_share_reads(peers_store *store, bool share);

/// The sum of `count` bytes as 64-bit words; `count` is a multiple of 128.
uint64_t peers_sum(const void *bytes, size_t count);

/// Writes all that the file system of `folder` has not written yet to the disk.
bool peers_write_out(const char *folder);
/// Writes what `folder` holds to the disk and drops its pages from memory, file by file.
///
/// Pages that some process has mapped stay.
bool peers_drop_pages(const char *folder);
/// The share of `path` that is in memory, from 0 to 1; negative when it is unknown.
double peers_resident_part(const char *path);
/// Bytes that may still be written where `folder` lies.
uint64_t peers_free_bytes(const char *folder);
/// Asks ext4 to lay the folders that will be made in `folder` far apart, as it does in the root.
///
/// Without a journal it looks at every inode deleted there in the last minutes before it makes a
/// file: what one run deletes would slow the next one's down thirty times.
void peers_spread_folders(const char *folder);
/// Uses `bytes` of memory and frees them.
///
/// A virtual machine that gets memory from its host during a measurement measures the host.
void peers_warm_memory(size_t bytes);
/// Deletes `folder` and what it holds.
void peers_delete(const char *folder);
/// Opens a file, asks for its status, maps a gigabyte of it, reads its first byte, and undoes all of it.
bool peers_open_and_map(const char *path);
/// Memory of this process that is in use, in bytes.
uint64_t peers_resident_bytes(void);

#pragma clang assume_nonnull end
