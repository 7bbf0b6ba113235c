#include <setjmp.h>
#include <stdlib.h>

#include "png_reader.h"

// Rows of an interlaced file are complete only after the last pass. A picture with a
// much smaller target is not stored whole until then: each pixel is added to the sum of its square.

static size_t squares(uint32_t pixels, unsigned shift) {
  return ((size_t)pixels + (1u << shift) - 1) >> shift;
}

// At most 64 pixels per square: their sum fits in 16 bits.
static void add_row(ikran_png_reader *reader, uint16_t *sums, int pass, uint32_t count) {
  const uint8_t *pixel = reader->row;
  for (uint32_t i = 0; i < count; i++, pixel += 4) {
    uint16_t *sum = sums + 4 * (size_t)(PNG_COL_FROM_PASS_COL(i, pass) >> reader->shift);
    uint32_t alpha = pixel[3];
    for (int channel = 0; channel < 3; channel++) {
      uint32_t product = pixel[channel] * alpha + 128;
      sum[channel] += (uint16_t)((product + (product >> 8)) >> 8);
    }
    sum[3] += (uint16_t)alpha;
  }
}

int ikran_png_read_passes(ikran_png_reader *reader, uint8_t *pixels, size_t bytes_per_row,
                          uint32_t height) {
  reader->passes = 0;
  if (setjmp(png_jmpbuf(reader->decoder)))
    return reader->fault.kind == IKRAN_FAULT_TRUNCATED ? reader->passes : -1;
  // By default a chunk is read in pieces of some kilobytes, and not at all where less is there.
  reader->checksum = 0;
  png_set_compression_buffer_size(reader->decoder, 256);
  for (int pass = png_set_interlace_handling(reader->decoder); pass > 0; pass--) {
    for (uint32_t y = 0; y < height; y++)
      png_read_row(reader->decoder, NULL, pixels + (size_t)y * bytes_per_row);
    reader->passes++;
  }
  return reader->passes;
}

int ikran_png_reduce(ikran_png_reader *reader) {
  png_structp decoder = reader->decoder;
  const uint32_t width = png_get_image_width(decoder, reader->info);
  const uint32_t height = png_get_image_height(decoder, reader->info);
  const size_t columns = squares(width, reader->shift);
  if (setjmp(png_jmpbuf(decoder))) return 0;
  reader->row = malloc((size_t)width * 4);
  reader->sums = calloc(squares(height, reader->shift), columns * 4 * sizeof *reader->sums);
  if (!reader->row || !reader->sums) png_error(decoder, "out of memory");
  for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
    const uint32_t count = PNG_PASS_COLS(width, pass);
    if (count == 0) continue;
    for (uint32_t y = 0; y < PNG_PASS_ROWS(height, pass); y++) {
      png_read_row(decoder, reader->row, NULL);
      const size_t line = PNG_ROW_FROM_PASS_ROW(y, pass) >> reader->shift;
      add_row(reader, reader->sums + line * columns * 4, pass, count);
    }
  }
  return 1;
}

void ikran_png_reduced_row(const ikran_png_reader *reader, uint32_t y, uint8_t *row) {
  const uint32_t side = 1u << reader->shift;
  const uint32_t width = png_get_image_width(reader->decoder, reader->info);
  const uint32_t height = png_get_image_height(reader->decoder, reader->info);
  const size_t columns = squares(width, reader->shift);
  const uint16_t *sum = reader->sums + y * columns * 4;
  // Squares at the right and lower edge may be cut.
  const uint32_t lines = height - y * side < side ? height - y * side : side;
  for (size_t x = 0; x < columns; x++) {
    const uint32_t left = width - (uint32_t)x * side;
    const uint32_t count = lines * (left < side ? left : side);
    for (int channel = 0; channel < 4; channel++)
      *row++ = (uint8_t)((*sum++ + count / 2) / count);
  }
}
