// PNG with libpng, row by row, to four bytes per pixel: what every thumbnailer must do first.
#include "CPeers.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const uint8_t *bytes;
  size_t left;
} Source;

static void read_bytes(png_structp decoder, png_bytep target, size_t count) {
  Source *source = png_get_io_ptr(decoder);
  if (count > source->left) png_error(decoder, "too short");
  memcpy(target, source->bytes, count);
  source->bytes += count, source->left -= count;
}

bool peers_png_decode(const uint8_t *bytes, size_t count) {
  Source source = {bytes, count};
  png_structp decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = decoder ? png_create_info_struct(decoder) : NULL;
  uint8_t *volatile row = NULL;
  const bool isDone = info && !setjmp(png_jmpbuf(decoder));
  if (isDone) {
    png_set_read_fn(decoder, &source, read_bytes);
    png_read_info(decoder, info);
    png_set_expand(decoder);
    png_set_bgr(decoder);
    png_set_add_alpha(decoder, 255, PNG_FILLER_AFTER);
    png_read_update_info(decoder, info);
    row = malloc(png_get_rowbytes(decoder, info));
    if (!row) png_error(decoder, "out of memory");
    for (uint32_t y = png_get_image_height(decoder, info); y > 0; y--) {
      png_read_row(decoder, row, NULL);
      peers_consume(row);
    }
    png_read_end(decoder, NULL);
  }
  free(row);
  png_destroy_read_struct(&decoder, &info, NULL);
  return isDone;
}
