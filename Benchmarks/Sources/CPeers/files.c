// One file for each picture, as plain bytes or as PNG.
#include "store.h"

#include <fcntl.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  peers_store base;
  bool png, careful;
  int side;
  int folder;
  uint8_t *pixels;  // what a read fills
} file_store;

enum { name_size = 40 };

static void name_of(char *name, const file_store *store, peers_id id) {
  snprintf(name, name_size, "%016llx%016llx.%s", (unsigned long long)id.high,
           (unsigned long long)id.low, store->png ? "png" : "raw");
}

static bool write_png(FILE *file, const file_store *store, const uint8_t *pixels) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  if (info == NULL || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)store->side, (png_uint_32)store->side, 8,
               PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_set_bgr(png);
  for (int y = 0; y < store->side; y++)
    png_write_row(png, (png_const_bytep)(pixels + (size_t)y * (size_t)store->side * 4));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

static bool read_png(FILE *file, const file_store *store) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  if (info == NULL || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return false;
  }
  png_init_io(png, file);
  png_read_info(png, info);
  png_set_bgr(png);
  for (int y = 0; y < store->side; y++)
    png_read_row(png, store->pixels + (size_t)y * (size_t)store->side * 4, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  return true;
}

static bool put_one(const file_store *store, peers_id id, const uint8_t *pixels) {
  char name[name_size];
  name_of(name, store, id);
  const char *target = store->careful ? "new" : name;
  int file = openat(store->folder, target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  if (store->png) {
    FILE *stream = fdopen(file, "w");
    if (stream == NULL) return false;
    bool written = write_png(stream, store, pixels);
    return fclose(stream) == 0 && written;
  }
  bool complete = write(file, pixels, store->base.size) == (ssize_t)store->base.size;
  if (store->base.durability == peers_synced) complete = fsync(file) == 0 && complete;
  if (close(file) != 0 || !complete) return false;
  return !store->careful || renameat(store->folder, target, store->folder, name) == 0;
}

static bool get_one(const file_store *store, peers_id id, uint64_t *sum) {
  char name[name_size];
  name_of(name, store, id);
  int file = openat(store->folder, name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  if (store->png) {
    FILE *stream = fdopen(file, "r");
    if (stream == NULL) return false;
    bool done = read_png(stream, store);
    fclose(stream);
    if (done) take(store->pixels, store->base.size, sum);
    return done;
  }
  size_t size = store->base.size;
  struct stat status;
  if (store->careful) size = fstat(file, &status) == 0 ? (size_t)status.st_size : 0;
  uint8_t *bytes = store->careful ? malloc(size) : store->pixels;
  bool done = bytes != NULL && read(file, bytes, size) == (ssize_t)store->base.size;
  close(file);
  if (done) take(bytes, size, sum);
  if (store->careful) free(bytes);
  return done;
}

static bool file_put(
  peers_store *store, const peers_id *ids, const uint8_t *pixels, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!put_one((file_store *)store, ids[i], pixels + i * store->size)) return false;
  return true;
}

static bool file_get(peers_store *base, const peers_id *ids, size_t count, uint64_t *sum) {
  file_store *store = (file_store *)base;
  for (size_t i = 0; i < count; i++)
    if (!get_one(store, ids[i], sum)) return false;
  return true;
}

static void file_close(peers_store *base) {
  file_store *store = (file_store *)base;
  close(store->folder);
  free(store->pixels);
  free(store);
}

peers_store *file_store_open(const char *folder, size_t size, bool png, bool careful) {
  static const store_calls calls = {file_put, file_get, file_close};
  file_store *store = calloc(1, sizeof *store);
  if (store == NULL) return NULL;
  store->base.calls = &calls;
  store->png = png;
  store->careful = careful;
  while ((size_t)store->side * (size_t)store->side * 4 < size) store->side++;
  store->pixels = aligned_alloc(64, (size + 63) / 64 * 64);
  store->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (store->pixels != NULL && store->folder >= 0) return &store->base;
  file_close(&store->base);
  return NULL;
}
