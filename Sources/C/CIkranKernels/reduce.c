#include "CIkranKernels.h"

#include <string.h>

void ikran_add_row(uint16_t *restrict sums, const uint8_t *restrict row, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) sums[i] = (uint16_t)(sums[i] + row[i]);
}

void ikran_average_row(uint16_t *sums, size_t width, size_t block, size_t rows, uint8_t *out) {
  // A product with 2^40 / count, rounded up, divides exactly while sums stay below 2^24.
  uint64_t inverse = 0;
  size_t last = 0;
  for (size_t x = 0; x < width; x += block, out += 4) {
    size_t columns = width - x < block ? width - x : block;
    uint32_t count = (uint32_t)(columns * rows), half = count / 2;
    if (columns != last) inverse = ((uint64_t)1 << 40) / count + 1;
    last = columns;
    uint32_t total[4] = {half, half, half, half};
    const uint16_t *in = sums + 4 * x;
    for (size_t i = 0; i < columns; i++, in += 4)
      for (int c = 0; c < 4; c++) total[c] += in[c];
    for (int c = 0; c < 4; c++) out[c] = (uint8_t)(total[c] * inverse >> 40);
  }
  memset(sums, 0, width * 4 * sizeof *sums);
}
