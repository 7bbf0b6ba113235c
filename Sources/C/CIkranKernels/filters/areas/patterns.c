// Filters that draw a pattern of the picture's colours, and one that moves blocks.
#include "../spatial.h"

/// The row or column of square cells in which a pixel lies.
INLINE ptrdiff_t cell_of(ptrdiff_t pixel, double cell) {
  return (ptrdiff_t)(((double)pixel + .5) / cell);
}

/// Sums the channels of each cell in the row of cells that begins at `top`; returns where it ends.
static ptrdiff_t sum_cells(ikran_pass p, ptrdiff_t top, double cell, int64_t *sums) {
  ptrdiff_t own = cell_of(top, cell), y = top;
  memset(sums, 0, (size_t)(cell_of(p.width - 1, cell) + 1) * 4 * sizeof *sums);
  for (; y < p.height && cell_of(y, cell) == own; y++) {
    const uint8_t *in = p.in + y * p.inStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      int64_t *sum = sums + cell_of(x, cell) * 4;
      for (int c = 0; c < 4; c++) sum[c] += in[x * 4 + c];
    }
  }
  return y;
}

/// How much of a pixel something covers whose edge is `within` pixels farther out, and which is
/// paler where it is narrower than a pixel.
INLINE float coverage(double within, double width) {
  double covered = within + .5;
  covered = covered < 0 ? 0 : covered > 1 ? 1 : covered;
  return (float)(width < 1 ? covered * width : covered);
}

void ikran_polka(ikran_pass p, double cell, double size, void *memory) {
  int64_t *sums = memory;
  double radius = cell * size / 2;
  for (ptrdiff_t y = 0, end = 0; y < p.height; y++) {
    if (y == end) end = sum_cells(p, y, cell, sums);
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    double down = (double)y + .5 - ((double)cell_of(y, cell) + .5) * cell;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      ptrdiff_t column = cell_of(x, cell);
      const int64_t *sum = sums + column * 4;
      double across = (double)x + .5 - ((double)column + .5) * cell;
      float covered = coverage(radius - sqrt(across * across + down * down), 2 * radius);
      float alpha = in[x * 4 + 3], share = sum[3] > 0 ? covered * alpha / (float)sum[3] : 0;
      for (int c = 0; c < 3; c++) out[x * 4 + c] = to_byte((float)sum[c] * share, alpha);
      out[x * 4 + 3] = in[x * 4 + 3];
    }
  }
}

/// The number of that of `count` colours which is nearest to the mean of a cell.
INLINE int64_t nearest(const int64_t *sum, const uint8_t *colors, int count) {
  double least = 1e9;
  int64_t found = 0;
  for (int i = 0; i < count; i++) {
    double square = 0;
    for (int c = 0; c < 3; c++) {
      double mean = sum[3] > 0 ? (double)sum[c] * 255 / (double)sum[3] : 0;
      square += (mean - colors[i * 4 + c]) * (mean - colors[i * 4 + c]);
    }
    found = square < least ? i : found;
    least = square < least ? square : least;
  }
  return found;
}

void ikran_reduce_colors(ikran_pass p, double cell, const uint8_t *colors, int count,
                         void *memory) {
  int64_t *sums = memory;
  ptrdiff_t columns = cell_of(p.width - 1, cell) + 1;
  for (ptrdiff_t y = 0, end = 0; y < p.height; y++) {
    if (y == end) {
      end = sum_cells(p, y, cell, sums);
      for (ptrdiff_t i = 0; i < columns; i++) sums[i * 4] = nearest(sums + i * 4, colors, count);
    }
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      const uint8_t *color = colors + sums[cell_of(x, cell) * 4] * 4;
      int alpha = in[x * 4 + 3];
      for (int c = 0; c < 3; c++) out[x * 4 + c] = (uint8_t)((color[c] * alpha + 127) / 255);
      out[x * 4 + 3] = (uint8_t)alpha;
    }
  }
}

/// How much of a pixel slanted lines cover; `at` is its place along a row.
INLINE float hatched(double at, double spacing, double width) {
  double away = fabs(at - spacing * floor(at / spacing + .5)) * .70710678118654752;
  return coverage(width / 2 - away, width);
}

void ikran_crosshatch(ikran_pass p, double spacing, double width) {
  // Lines are drawn where the luma, in parts of 2,550,000, is below these.
  static const int32_t limits[4] = {2550000, 1912500, 1275000, 765000};
  for (ptrdiff_t y = 0; y < p.height; y++) {
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++, in += 4, out += 4) {
      int32_t luma = ikran_luma_blue * in[0] + ikran_luma_green * in[1] + ikran_luma_red * in[2]
          + 10000 * (255 - in[3]);
      float covered = 0, alpha = in[3];
      for (int i = 0; i < 4 && luma < limits[i]; i++) {
        double at = i % 2 == 0 ? (double)(x + y + 1) : (double)(x - y);
        float one = hatched(at + (i < 2 ? 0 : spacing / 2), spacing, width);
        covered = one > covered ? one : covered;
      }
      uint8_t gray = to_byte((1 - covered) * alpha, alpha);
      for (int c = 0; c < 3; c++) out[c] = gray;
      out[3] = in[3];
    }
  }
}

void ikran_move_blocks(ikran_pass p, const ikran_moved_block *blocks, size_t count) {
  for (ptrdiff_t y = 0; y < p.height; y++)
    memcpy(p.out + y * p.outStride, p.in + y * p.inStride, (size_t)p.width * 4);
  for (size_t i = 0; i < count; i++) {
    ikran_moved_block b = blocks[i];
    ptrdiff_t from = (b.left + b.shift) % p.width;
    ptrdiff_t first = b.width < p.width - from ? b.width : p.width - from;
    for (ptrdiff_t y = b.top; y < b.top + b.height; y++) {
      const uint8_t *in = p.in + y * p.inStride;
      uint8_t *out = p.out + y * p.outStride + b.left * 4;
      memcpy(out, in + from * 4, (size_t)first * 4);
      memcpy(out + first * 4, in, (size_t)(b.width - first) * 4);
    }
  }
}
