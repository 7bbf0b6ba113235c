// Filters of libvips on a picture in memory, found at run time.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "CPeers.h"

typedef struct VipsImage VipsImage;

static struct {
  VipsImage *(*from_memory)(const void *, size_t, int, int, int, int);
  VipsImage *(*matrix)(int, int, const double *, int);
  int (*linear)(VipsImage *, VipsImage **, const double *, const double *, int, ...);
  int (*recomb)(VipsImage *, VipsImage **, VipsImage *, ...);
  int (*cast_uchar)(VipsImage *, VipsImage **, ...);
  int (*gamma)(VipsImage *, VipsImage **, ...);
  int (*gaussblur)(VipsImage *, VipsImage **, double, ...);
  int (*conv)(VipsImage *, VipsImage **, VipsImage *, ...);
  int (*rank)(VipsImage *, VipsImage **, int, int, int, ...);
  int (*canny)(VipsImage *, VipsImage **, ...);
  int (*sobel)(VipsImage *, VipsImage **, ...);
  int (*equalize)(VipsImage *, VipsImage **, ...);
  int (*rotate)(VipsImage *, VipsImage **, double, ...);
  int (*affine)(VipsImage *, VipsImage **, double, double, double, double, ...);
  int (*resize)(VipsImage *, VipsImage **, double, ...);
  void *(*write)(VipsImage *, size_t *);
  void (*unref)(void *);
  void (*free)(void *);
} vips;

static bool load(void) {
  static int state;  // 0 not tried, 1 there, 2 not
  if (state != 0) return state == 1;
  state = 2;
  void *library = peers_vips_load() ? dlopen("libvips.so.42", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return false;
  static const char *const names[] = {
    "vips_image_new_from_memory", "vips_image_new_matrix_from_array", "vips_linear", "vips_recomb",
    "vips_cast_uchar", "vips_gamma", "vips_gaussblur", "vips_conv", "vips_rank", "vips_canny",
    "vips_sobel", "vips_hist_equal", "vips_rotate", "vips_affine", "vips_resize",
    "vips_image_write_to_memory", "g_object_unref", "g_free"};
  void *found[sizeof names / sizeof *names];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if ((found[i] = dlsym(library, names[i])) == NULL) return false;
  memcpy(&vips, found, sizeof found);
  state = 1;
  return true;
}

/// Replaces an image by the result of an operation on it.
static bool take(VipsImage **image, VipsImage *next, int failed) {
  vips.unref(*image);
  *image = failed ? NULL : next;
  return !failed;
}

static bool linear(VipsImage **image, double a, double b) {
  const double factors[3] = {a, a, a}, offsets[3] = {b, b, b};
  VipsImage *next = NULL;
  const int failed = vips.linear(*image, &next, factors, offsets, 3, NULL);
  return take(image, next, failed);
}

static bool matrix(VipsImage **image, const double *values) {
  VipsImage *rows = vips.matrix(3, 3, values, 9), *next = NULL;
  const int failed = vips.recomb(*image, &next, rows, NULL);
  vips.unref(rows);
  return take(image, next, failed);
}

static bool conv(VipsImage **image, const double *weights) {
  VipsImage *mask = vips.matrix(3, 3, weights, 9), *next = NULL;
  const int failed = vips.conv(*image, &next, mask, "precision", 0, NULL);
  vips.unref(mask);
  return take(image, next, failed);
}

static bool blur(VipsImage **image, double sigma) {
  VipsImage *next = NULL;
  const int failed = vips.gaussblur(*image, &next, sigma, NULL);
  return take(image, next, failed);
}

/// The value of a rank in squares of `2 * radius + 1` pixels a side, for each channel by itself.
static bool rank(VipsImage **image, int radius, int place) {
  const int side = 2 * radius + 1;
  VipsImage *next = NULL;
  const int failed = vips.rank(*image, &next, side, side, place, NULL);
  return take(image, next, failed);
}

static bool gamma_of(VipsImage **image, double exponent) {
  VipsImage *next = NULL;
  const int failed = vips.gamma(*image, &next, "exponent", 1 / exponent, NULL);
  return take(image, next, failed);
}

static void mixed(double share, const double *values, double *out) {
  for (int i = 0; i < 9; i++) out[i] = (i % 4 == 0) + (values[i] - (i % 4 == 0)) * share;
}

/// Filters that look at more than one pixel.
static bool apply_area(const char *name, VipsImage **image) {
  static const double sharpen[9] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
  static const double emboss[9] = {-2, 0, 0, 0, 1, 0, 0, 0, 2};
  VipsImage *next = NULL;
  if (!strcmp(name, "sharpen")) return conv(image, sharpen);
  if (!strcmp(name, "convolution")) return conv(image, emboss);
  if (!strcmp(name, "blur1")) return blur(image, 1);
  if (!strcmp(name, "blur10")) return blur(image, 10);
  if (!strcmp(name, "blur100")) return blur(image, 100);
  if (!strcmp(name, "median1")) return rank(image, 1, 4);
  if (!strcmp(name, "median2")) return rank(image, 2, 12);
  if (!strcmp(name, "median10")) return rank(image, 10, 220);
  if (!strcmp(name, "erode2")) return rank(image, 2, 0);
  if (!strcmp(name, "dilate2")) return rank(image, 2, 24);
  if (!strcmp(name, "dilate10")) return rank(image, 10, 440);
  int failed = 1;
  if (!strcmp(name, "canny")) failed = vips.canny(*image, &next, NULL);
  if (!strcmp(name, "sobel")) failed = vips.sobel(*image, &next, NULL);
  if (!strcmp(name, "equalize")) failed = vips.equalize(*image, &next, NULL);
  if (!strcmp(name, "rotate10")) failed = vips.rotate(*image, &next, 10.0, NULL);
  if (!strcmp(name, "affine")) failed = vips.affine(*image, &next, .8, .3, -.1, .8, NULL);
  if (!strcmp(name, "resize")) failed = vips.resize(*image, &next, 500 / 1024.0, NULL);
  return take(image, next, failed);
}

static bool apply(const char *name, VipsImage **image) {
  static const double luma[9] = {.2125, .7154, .0721, .2125, .7154, .0721, .2125, .7154, .0721};
  static const double sepia[9] = {.3588, .7044, .1368, .2990, .5870, .1140, .2392, .4696, .0912};
  static const double warm[9] = {1.06, 0, 0, 0, 1, 0, 0, 0, .94};
  double values[9];
  if (!strcmp(name, "brightness")) return linear(image, 1, 25.5);
  if (!strcmp(name, "contrast")) return linear(image, 1.2, -25.5);
  if (!strcmp(name, "gamma")) return gamma_of(image, .8);
  if (!strcmp(name, "grayed")) return matrix(image, luma);
  if (!strcmp(name, "sepia")) return matrix(image, sepia);
  if (!strcmp(name, "saturation")) return mixed(.5, luma, values), matrix(image, values);
  if (strcmp(name, "chain5")) return apply_area(name, image);
  // libvips computes in floats from one operation to the next.
  if (!linear(image, 1, 12.75) || !linear(image, 1.1, -12.75)) return false;
  mixed(.2, luma, values);
  if (!matrix(image, values) || !matrix(image, warm)) return false;
  mixed(.3, sepia, values);
  return matrix(image, values);
}

bool peers_vips_filter(const char *name, const uint8_t *rgb, int width, int height) {
  if (!load()) return false;
  VipsImage *image = vips.from_memory(rgb, (size_t)width * (size_t)height * 3, width, height, 3, 0);
  if (image == NULL) return false;
  VipsImage *bytes = NULL;
  if (!apply(name, &image) || image == NULL) {
    if (image != NULL) vips.unref(image);
    return false;
  }
  if (vips.cast_uchar(image, &bytes, NULL) != 0) bytes = NULL;
  vips.unref(image);
  if (bytes == NULL) return false;
  size_t count = 0;
  void *pixels = vips.write(bytes, &count);
  peers_consume(pixels);
  vips.free(pixels);
  vips.unref(bytes);
  return count > 0;
}
