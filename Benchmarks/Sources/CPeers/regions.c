// Large JPEG and PNG files made of one tile, and a region of a JPEG file as libjpeg-turbo reads it.
#include "CPeers.h"

#include <malloc.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static void leave(j_common_ptr common) { longjmp(*(jmp_buf *)common->client_data, 1); }

// Row `y` of the picture: the tile's row, again and again. Four bytes per pixel.
static void fill(uint8_t *row, const uint8_t *pixels, size_t stride, int width, int height,
                 int across, int y) {
  for (int tile = 0; tile < across; tile++)
    memcpy(row + (size_t)tile * (size_t)width * 4, pixels + (size_t)(y % height) * stride,
           (size_t)width * 4);
}

uint8_t *peers_jpeg_tiled(const uint8_t *pixels, size_t stride, int width, int height, int across,
                          int down, int restart_rows, size_t *size) {
  struct jpeg_compress_struct encoder;
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  unsigned char *file = NULL;
  unsigned long length = 0;
  uint8_t *row = malloc((size_t)width * (size_t)across * 4);
  encoder.err = jpeg_std_error(&errors);
  errors.error_exit = leave;
  jpeg_create_compress(&encoder);
  encoder.client_data = &failure;
  volatile bool done = false;
  if (row && !setjmp(failure)) {
    jpeg_mem_dest(&encoder, &file, &length);
    encoder.image_width = (JDIMENSION)(width * across);
    encoder.image_height = (JDIMENSION)(height * down);
    encoder.input_components = 4;
    encoder.in_color_space = JCS_EXT_BGRX;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, 85, TRUE);
    encoder.restart_in_rows = restart_rows;
    jpeg_start_compress(&encoder, TRUE);
    for (int y = 0; y < height * down; y++) {
      fill(row, pixels, stride, width, height, across, y);
      jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
    done = true;
  }
  jpeg_destroy_compress(&encoder);
  free(row);
  *size = length;
  return done ? file : NULL;
}

typedef struct {
  uint8_t *bytes;
  size_t count, room;
} Target;

static void write_bytes(png_structp encoder, png_bytep bytes, size_t count) {
  Target *target = png_get_io_ptr(encoder);
  if (target->room - target->count < count) {
    const size_t room = target->room * 2 + count;
    uint8_t *larger = realloc(target->bytes, room);
    if (!larger) png_error(encoder, "out of memory");
    target->bytes = larger, target->room = room;
  }
  memcpy(target->bytes + target->count, bytes, count);
  target->count += count;
}

static void flush(png_structp encoder) { (void)encoder; }

uint8_t *peers_png_tiled(const uint8_t *pixels, size_t stride, int width, int height, int across,
                         int down, size_t *size) {
  Target target = {NULL, 0, 0};
  png_structp encoder = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = encoder ? png_create_info_struct(encoder) : NULL;
  uint8_t *row = malloc((size_t)width * (size_t)across * 4);
  const bool isDone = info && row && !setjmp(png_jmpbuf(encoder));
  if (isDone) {
    png_set_write_fn(encoder, &target, write_bytes, flush);
    png_set_IHDR(encoder, info, (png_uint_32)(width * across), (png_uint_32)(height * down), 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(encoder, 1);
    png_set_filter(encoder, 0, PNG_FILTER_PAETH);
    png_write_info(encoder, info);
    png_set_bgr(encoder);
    png_set_filler(encoder, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < height * down; y++) {
      fill(row, pixels, stride, width, height, across, y);
      png_write_row(encoder, row);
    }
    png_write_end(encoder, info);
  }
  png_destroy_write_struct(&encoder, &info);
  free(row);
  *size = target.count;
  if (isDone) return target.bytes;
  free(target.bytes);
  return NULL;
}

bool peers_jpeg_region(const uint8_t *bytes, size_t count, int x, int y, int width, int height) {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  uint8_t *volatile row = NULL;
  decoder.err = jpeg_std_error(&errors);
  errors.error_exit = leave;
  jpeg_create_decompress(&decoder);
  decoder.client_data = &failure;
  volatile bool done = false;
  if (!setjmp(failure)) {
    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = JCS_EXT_BGRX;
    jpeg_start_decompress(&decoder);
    // Two columns more on each side, so that the pixels are those of the whole picture.
    JDIMENSION left = x < 2 ? 0 : (JDIMENSION)(x - 2), columns = (JDIMENSION)(width + 4);
    if (columns > decoder.output_width - left) columns = decoder.output_width - left;
    jpeg_crop_scanline(&decoder, &left, &columns);
    jpeg_skip_scanlines(&decoder, (JDIMENSION)y);
    row = malloc((size_t)columns * 4);
    JSAMPROW rows[1] = {row};
    for (int line = 0; row && line < height; line++) {
      jpeg_read_scanlines(&decoder, rows, 1);
      peers_consume(row);
    }
    done = row != NULL;
  }
  jpeg_destroy_decompress(&decoder);
  free(row);
  return done;
}

bool peers_reset_peak(void) {
  // Freed memory that is used again would not show.
  malloc_trim(0);
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file) return false;
  // 5: VmHWM becomes VmRSS (proc(5)).
  fputs("5", file);
  return fclose(file) == 0;
}

size_t peers_peak(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  size_t kilobytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %zu", &kilobytes) == 1) break;
  if (file) fclose(file);
  return kilobytes * 1024;
}
