#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "CIkranCodecs.h"

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
  ikran_fault *fault;
} output;

static void on_error(png_structp encoder, png_const_charp message) {
  output *out = png_get_error_ptr(encoder);
  out->fault->kind = IKRAN_FAULT_MALFORMED;
  strncpy(out->fault->message, message, sizeof out->fault->message - 1);
  png_longjmp(encoder, 1);
}

static void on_warning(png_structp encoder, png_const_charp message) {
  (void)encoder;
  (void)message;
}

static void on_write(png_structp encoder, png_bytep bytes, size_t count) {
  output *out = png_get_io_ptr(encoder);
  if (count > out->capacity - out->count) {
    size_t capacity = (out->count + count) * 2;
    uint8_t *grown = realloc(out->bytes, capacity);
    if (!grown) png_error(encoder, "out of memory");
    out->bytes = grown;
    out->capacity = capacity;
  }
  memcpy(out->bytes + out->count, bytes, count);
  out->count += count;
}

static void on_flush(png_structp encoder) { (void)encoder; }

static void write_picture(png_structp encoder, png_infop info, ikran_picture picture, int channels,
                          int level) {
  static const int types[5] = {0, PNG_COLOR_TYPE_GRAY, 0, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
  png_set_IHDR(encoder, info, picture.width, picture.height, 8, types[channels], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(encoder, level);
  png_write_info(encoder, info);
  for (uint32_t y = 0; y < picture.height; y++)
    png_write_row(encoder, picture.pixels + (size_t)y * picture.bytes_per_row);
  png_write_end(encoder, NULL);
}

uint8_t *ikran_png_write(ikran_picture picture, int channels, int level, size_t *count,
                         ikran_fault *fault) {
  output *out = calloc(1, sizeof *out);
  uint8_t *bytes = NULL;
  *count = 0;
  fault->kind = IKRAN_FAULT_MEMORY;
  if (!out) return NULL;
  out->fault = fault;
  png_structp encoder = png_create_write_struct(PNG_LIBPNG_VER_STRING, out, on_error, on_warning);
  png_infop info = encoder ? png_create_info_struct(encoder) : NULL;
  if (info && !setjmp(png_jmpbuf(encoder))) {
    // A side of a million pixels is libpng's default limit; the caller has checked its own limits.
    png_set_user_limits(encoder, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(encoder, out, on_write, on_flush);
    write_picture(encoder, info, picture, channels, level);
    bytes = out->bytes;
    *count = out->count;
    out->bytes = NULL;
    fault->kind = IKRAN_FAULT_NONE;
  }
  png_destroy_write_struct(&encoder, &info);
  free(out->bytes);
  free(out);
  return bytes;
}
