// A plain loop over the frames of a GIF with giflib, found at run time so that the benchmarks build
// without it.
#include "CPeers.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// What the loop needs of gif_lib.h 5.x.
typedef struct {
  uint8_t red, green, blue;
} Color;

typedef struct {
  int count, bitsPerPixel;
  bool isSorted;
  Color *colors;
} ColorMap;

typedef struct {
  int left, top, width, height;
  bool isInterlaced;
  ColorMap *colors;
} ImageDescriptor;

typedef struct {
  ImageDescriptor image;
  uint8_t *indices;
  int extensionCount;
  void *extensions;
} SavedImage;

typedef struct GifFile {
  int width, height, colorResolution, background;
  uint8_t aspect;
  ColorMap *colors;
  int imageCount;
  ImageDescriptor image;
  SavedImage *images;
  int extensionCount;
  void *extensions;
  int error;
  void *userData;
  void *private;
} GifFile;

typedef struct {
  int disposal;
  bool waitsForUser;
  int delay, transparent;
} GraphicsControl;

typedef struct {
  const uint8_t *bytes;
  size_t left;
} Input;

enum { disposeClear = 2, disposeRestore = 3 };

static GifFile *(*open_file)(void *userData, int (*read)(GifFile *, uint8_t *, int), int *error);
static int (*slurp)(GifFile *file);
static int (*graphics_control)(GifFile *file, int index, GraphicsControl *control);
static int (*close_file)(GifFile *file, int *error);

bool peers_gif_load(void) {
  static int state;  // 0 not tried, 1 there, 2 not
  if (state != 0) return state == 1;
  state = 2;
  void *giflib = dlopen("libgif.so.7", RTLD_NOW | RTLD_LOCAL);
  if (giflib == NULL) return false;
  open_file = dlsym(giflib, "DGifOpen");
  slurp = dlsym(giflib, "DGifSlurp");
  graphics_control = dlsym(giflib, "DGifSavedExtensionToGCB");
  close_file = dlsym(giflib, "DGifCloseFile");
  if (!open_file || !slurp || !graphics_control || !close_file) return false;
  state = 1;
  return true;
}

static int read_input(GifFile *file, uint8_t *bytes, int count) {
  Input *input = file->userData;
  size_t taken = input->left < (size_t)count ? input->left : (size_t)count;
  memcpy(bytes, input->bytes, taken);
  input->bytes += taken;
  input->left -= taken;
  return (int)taken;
}

static bool draw(const GifFile *file, const SavedImage *saved, int transparent, uint8_t *pixels) {
  const ImageDescriptor *image = &saved->image;
  const ColorMap *map = image->colors != NULL ? image->colors : file->colors;
  if (map == NULL || image->left < 0 || image->top < 0 ||
      image->width > file->width - image->left || image->height > file->height - image->top)
    return false;
  uint32_t palette[256] = {0};
  for (int i = 0; i < map->count && i < 256; i++) {
    const Color *color = &map->colors[i];
    palette[i] =
      0xff000000u | (uint32_t)color->red << 16 | (uint32_t)color->green << 8 | color->blue;
  }
  for (int y = 0; y < image->height; y++) {
    const uint8_t *in = saved->indices + (size_t)y * (size_t)image->width;
    uint32_t *out = (uint32_t *)pixels + (size_t)(image->top + y) * (size_t)file->width +
                    (size_t)image->left;
    for (int x = 0; x < image->width; x++)
      if (in[x] != transparent) out[x] = palette[in[x]];
  }
  return true;
}

static void clear(const GifFile *file, const ImageDescriptor *image, uint8_t *pixels) {
  for (int y = 0; y < image->height; y++)
    memset(
      pixels + 4 * ((size_t)(image->top + y) * (size_t)file->width + (size_t)image->left), 0,
      4 * (size_t)image->width);
}

static bool compose(GifFile *file, uint8_t *pixels, size_t capacity) {
  size_t size = 4 * (size_t)file->width * (size_t)file->height;
  if (slurp(file) == 0 || size > capacity) return false;
  uint8_t *below = malloc(size);
  if (below == NULL) return false;
  memset(pixels, 0, size);
  bool isDone = file->imageCount > 0;
  for (int i = 0; i < file->imageCount && isDone; i++) {
    GraphicsControl control = {.transparent = -1};
    graphics_control(file, i, &control);
    if (control.disposal == disposeRestore) memcpy(below, pixels, size);
    isDone = draw(file, &file->images[i], control.transparent, pixels);
    peers_consume(pixels);
    if (!isDone || i + 1 == file->imageCount) break;
    if (control.disposal == disposeClear) clear(file, &file->images[i].image, pixels);
    if (control.disposal == disposeRestore) memcpy(pixels, below, size);
  }
  free(below);
  return isDone;
}

bool peers_gif_compose(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
  if (!peers_gif_load()) return false;
  Input input = {bytes, count};
  int error = 0;
  GifFile *file = open_file(&input, read_input, &error);
  if (file == NULL) return false;
  bool isDone = compose(file, pixels, capacity);
  close_file(file, &error);
  return isDone;
}
