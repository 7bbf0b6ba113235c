// libvips, found at run time so that the benchmarks build without it.
#include "CPeers.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef struct VipsImage VipsImage;

static int (*init)(const char *program);
static const char *(*version_string)(void);
static void (*concurrency_set)(int threads);
static void (*cache_set_max)(int operations);
static int (*thumbnail_buffer)(void *bytes, size_t count, VipsImage **image, int width, ...);
static void *(*write_to_memory)(VipsImage *image, size_t *count);
static void (*object_unref)(void *object);
static void (*memory_free)(void *memory);

bool peers_vips_load(void) {
  static int state;  // 0 not tried, 1 there, 2 not
  if (state != 0) return state == 1;
  state = 2;
  void *vips = dlopen("libvips.so.42", RTLD_NOW | RTLD_LOCAL);
  if (vips == NULL) return false;
  init = dlsym(vips, "vips_init");
  version_string = dlsym(vips, "vips_version_string");
  concurrency_set = dlsym(vips, "vips_concurrency_set");
  cache_set_max = dlsym(vips, "vips_cache_set_max");
  thumbnail_buffer = dlsym(vips, "vips_thumbnail_buffer");
  write_to_memory = dlsym(vips, "vips_image_write_to_memory");
  object_unref = dlsym(vips, "g_object_unref");
  memory_free = dlsym(vips, "g_free");
  if (!init || !version_string || !concurrency_set || !cache_set_max || !thumbnail_buffer ||
      !write_to_memory || !object_unref || !memory_free || init("ikran-benchmarks") != 0)
    return false;
  concurrency_set(1);
  cache_set_max(0);  // else the second call answers from its cache
  state = 1;
  return true;
}

const char *peers_vips_version(void) { return peers_vips_load() ? version_string() : ""; }

bool peers_vips_thumbnail(const uint8_t *bytes, size_t count, int side) {
  enum { interestingCentre = 1 };
  VipsImage *image = NULL;
  if (thumbnail_buffer(
        (void *)bytes, count, &image, side, "height", side, "crop", interestingCentre, NULL) != 0)
    return false;
  size_t size = 0;
  void *pixels = write_to_memory(image, &size);  // vips is lazy: the work happens here
  peers_consume(pixels);
  memory_free(pixels);
  object_unref(image);
  return size > 0;
}
