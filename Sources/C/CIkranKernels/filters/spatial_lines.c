// Means of squares with running sums, and means along lines.
#include "spatial.h"

// Adds a row of bytes, `times` times.
INLINE void add_times(int32_t *sums, const uint8_t *row, ptrdiff_t values, int32_t times) {
  for (ptrdiff_t i = 0; i < values; i++) sums[i] += times * row[i];
}

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

INLINE void mean_loop(ikran_pass p, double radius, void *memory) {
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

enum { fewest = 4, most = 64 };

/// The normalised weights of 0…count taps either way, over four steps.
typedef struct {
  float of[most + 1][most + 1];
} tap_weights;

INLINE void fill_weights(tap_weights *weights) {
  static const float steps[6] = {.18f, .15f, .12f, .09f, .05f, .05f};
  for (int count = fewest; count <= most; count++) {
    float total = -steps[0], *row = weights->of[count];
    for (int i = 0; i <= count; i++) {
      float at = 4.f * (float)i / (float)count;
      int low = (int)at;
      row[i] = steps[low] + (at - (float)low) * (steps[low + 1] - steps[low]);
      total += 2 * row[i];
    }
    for (int i = 0; i <= count; i++) row[i] /= total;
  }
}

/// A place with 32 fractional bits, and the last pixel's.
typedef struct {
  int64_t x, y;
} fixed_place;

/// The bilinear mean around a place; `isInner` promises that no edge is near.
INLINE four sample(ikran_pass p, int64_t x, int64_t y, fixed_place last, bool isInner) {
  ptrdiff_t next = 4, lower = p.inStride;
  if (!isInner) {
    x = x > 0 ? x : 0;
    y = y > 0 ? y : 0;
    next = x < last.x ? 4 : 0;
    lower = y < last.y ? lower : 0;
    x = x < last.x ? x : last.x;
    y = y < last.y ? y : last.y;
  }
  const uint8_t *above = p.in + (y >> 32) * p.inStride + (x >> 32) * 4;
  float fx = (float)(int32_t)((uint32_t)x >> 8) * 0x1p-24f;
  float fy = (float)(int32_t)((uint32_t)y >> 8) * 0x1p-24f;
  return mean_of(above, above + lower, next, fx, fy);
}

INLINE four add_samples(ikran_pass p, fixed_place at, fixed_place step, fixed_place last,
                        const float *weights, int count, bool isInner) {
  four sum = weights[0] * load(p.in + (at.y >> 32) * p.inStride + (at.x >> 32) * 4);
  fixed_place one = at, other = at;
  for (int i = 1; i <= count; i++) {
    one.x += step.x;
    one.y += step.y;
    other.x -= step.x;
    other.y -= step.y;
    sum += weights[i]
        * (sample(p, one.x, one.y, last, isInner) + sample(p, other.x, other.y, last, isInner));
  }
  return sum;
}

INLINE void zoom_loop(ikran_pass p, double rate, double centerX, double centerY) {
  tap_weights weights;
  fill_weights(&weights);
  fixed_place last = {(int64_t)(p.width - 1) << 32, (int64_t)(p.height - 1) << 32};
  for (ptrdiff_t y = 0; y < p.height; y++) {
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++, out += 4) {
      double farX = (centerX - ((double)x + .5)) * rate * 4;
      double farY = (centerY - ((double)y + .5)) * rate * 4;
      double taps = ceil(sqrt(farX * farX + farY * farY));
      int count = taps < fewest ? fewest : taps > most ? most : (int)taps;
      fixed_place at = {(int64_t)x << 32, (int64_t)y << 32};
      fixed_place step = {(int64_t)(farX * 0x1p32 / count), (int64_t)(farY * 0x1p32 / count)};
      ptrdiff_t reachX = (ptrdiff_t)fabs(farX) + 2, reachY = (ptrdiff_t)fabs(farY) + 2;
      bool isInner = x >= reachX && y >= reachY && x + reachX < p.width && y + reachY < p.height;
      const float *row = weights.of[count];
      four sum = isInner ? add_samples(p, at, step, last, row, count, true)
                         : add_samples(p, at, step, last, row, count, false);
      store_mean(sum, out);
    }
  }
}

TWICE(mean, (ikran_pass p, double radius, void *memory), (p, radius, memory))
TWICE(zoom, (ikran_pass p, double rate, double x, double y), (p, rate, x, y))

void ikran_mean_blur(ikran_pass picture, double radius, void *memory, bool simd) {
  PICK(simd, mean, picture, radius, memory);
}

void ikran_zoom_blur(ikran_pass picture, double rate, double centerX, double centerY,
                     bool simd) {
  PICK(simd, zoom, picture, rate, centerX, centerY);
}
