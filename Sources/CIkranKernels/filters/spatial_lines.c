// Means of squares with running sums, and means along lines.
#include "spatial.h"

// Adds a row of bytes, `times` times.
INLINE void add_times(int32_t *sums, const uint8_t *row, ptrdiff_t values, int32_t times) {
  for (ptrdiff_t i = 0; i < values; i++) sums[i] += times * row[i];
}

// How often the edge pixel counts, and how many others, in `radius` pixels past an edge pixel.
INLINE ptrdiff_t less(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

INLINE void mean_row(const int16_t *row, ptrdiff_t width, ptrdiff_t whole, float part, float scale,
                     uint8_t *out) {
  int32_t sums[4];
  ptrdiff_t reach = less(whole, width - 1);
  const int16_t *last = row + (width - 1) * 4;
  for (int c = 0; c < 4; c++)
    sums[c] = row[c] * (int32_t)(whole + 1) + last[c] * (int32_t)(whole - reach);
  for (ptrdiff_t x = 1; x <= reach; x++)
    for (int c = 0; c < 4; c++) sums[c] += row[x * 4 + c];
  for (ptrdiff_t x = 0; x < width; x++, out += 4) {
    const int16_t *before = row + inside(x - whole - 1, width) * 4;
    const int16_t *leaving = row + inside(x - whole, width) * 4;
    const int16_t *after = row + inside(x + whole + 1, width) * 4;
    for (int c = 0; c < 4; c++) {
      float mean = ((float)sums[c] + part * (float)(before[c] + after[c])) * scale;
      out[c] = (uint8_t)(int32_t)(mean * (1.f / 128) + .5f);
      sums[c] += after[c] - leaving[c];
    }
  }
}

LOOP void mean_loop(ikran_pass p, double radius, void *memory) {
  ptrdiff_t values = p.width * 4, whole = (ptrdiff_t)radius, reach = less(whole, p.height - 1);
  float part = (float)(radius - (double)whole), scale = (float)(1 / (2 * radius + 1));
  int32_t *sums = memory;
  int16_t *means = (int16_t *)(sums + values);
  memset(sums, 0, (size_t)values * 4);
  add_times(sums, p.in, values, (int32_t)(whole + 1));
  add_times(sums, p.in + (p.height - 1) * p.inStride, values, (int32_t)(whole - reach));
  for (ptrdiff_t y = 1; y <= reach; y++) add_times(sums, p.in + y * p.inStride, values, 1);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    const uint8_t *before = p.in + inside(y - whole - 1, p.height) * p.inStride;
    const uint8_t *leaving = p.in + inside(y - whole, p.height) * p.inStride;
    const uint8_t *after = p.in + inside(y + whole + 1, p.height) * p.inStride;
    for (ptrdiff_t i = 0; i < values; i++) {
      float mean = ((float)sums[i] + part * (float)(before[i] + after[i])) * scale;
      means[i] = (int16_t)(int32_t)(mean * 128 + .5f);
      sums[i] += after[i] - leaving[i];
    }
    mean_row(means, p.width, whole, part, scale, p.out + y * p.outStride);
  }
}

// The weights at whole steps; the last is for reading one past the end.
static const float line_weights[6] = {.18f, .15f, .12f, .09f, .05f, .05f};

LOOP void zoom_loop(ikran_pass p, double rate, double centerX, double centerY) {
  for (ptrdiff_t y = 0; y < p.height; y++) {
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++, out += 4) {
      double stepX = (centerX - ((double)x + .5)) * rate;
      double stepY = (centerY - ((double)y + .5)) * rate;
      double taps = ceil(4 * sqrt(stepX * stepX + stepY * stepY));
      int count = taps < 4 ? 4 : taps > 64 ? 64 : (int)taps;
      float sum[4], total = line_weights[0];
      bilinear(p, (double)x, (double)y, sum);
      for (int c = 0; c < 4; c++) sum[c] *= total;
      for (int i = 1; i <= count; i++) {
        double at = 4.0 * i / count;
        int low = (int)at;
        float weight =
            line_weights[low] + (float)(at - low) * (line_weights[low + 1] - line_weights[low]);
        float one[4], other[4];
        bilinear(p, (double)x + at * stepX, (double)y + at * stepY, one);
        bilinear(p, (double)x - at * stepX, (double)y - at * stepY, other);
        for (int c = 0; c < 4; c++) sum[c] += weight * (one[c] + other[c]);
        total += 2 * weight;
      }
      for (int c = 0; c < 4; c++) sum[c] /= total;
      store_mean(sum, out);
    }
  }
}

TWICE(mean, (ikran_pass p, double radius, void *memory), (p, radius, memory))
TWICE(zoom, (ikran_pass p, double rate, double x, double y), (p, rate, x, y))

void ikran_mean_blur(ikran_pass picture, double radius, void *memory, bool simd) {
  PICK(simd, mean)(picture, radius, memory);
}

void ikran_zoom_blur(ikran_pass picture, double rate, double centerX, double centerY,
                     bool simd) {
  PICK(simd, zoom)(picture, rate, centerX, centerY);
}
