#include "CIkranKernels.h"

#include <string.h>

// A tile's source columns and rows stay in the cache while its pixels are turned.
enum { tile = 32 };

static inline void turn(const uint8_t *in, ptrdiff_t stepX, ptrdiff_t stepY, uint8_t *out,
                        size_t outStride, size_t width, size_t height, size_t bytes) {
  for (size_t top = 0; top < height; top += tile)
    for (size_t left = 0; left < width; left += tile) {
      size_t bottom = top + tile < height ? top + tile : height;
      size_t right = left + tile < width ? left + tile : width;
      for (size_t y = top; y < bottom; y++) {
        const uint8_t *from = in + (ptrdiff_t)left * stepX + (ptrdiff_t)y * stepY;
        uint8_t *to = out + y * outStride + left * bytes;
        for (size_t x = left; x < right; x++, from += stepX, to += bytes) memcpy(to, from, bytes);
      }
    }
}

void ikran_turn(const uint8_t *in, ptrdiff_t stepX, ptrdiff_t stepY, uint8_t *out, size_t outStride,
                size_t width, size_t height, size_t bytesPerPixel) {
  switch (bytesPerPixel) {
    case 4: return turn(in, stepX, stepY, out, outStride, width, height, 4);
    case 3: return turn(in, stepX, stepY, out, outStride, width, height, 3);
    case 2: return turn(in, stepX, stepY, out, outStride, width, height, 2);
    default: return turn(in, stepX, stepY, out, outStride, width, height, 1);
  }
}

// A pixel of the picture, or a clear one outside of it.
static inline const uint8_t *pixel_at(const uint8_t *in, size_t stride, int64_t width,
                                      int64_t height, int64_t x, int64_t y) {
  static const uint8_t clear[4];
  return x < 0 || y < 0 || x >= width || y >= height ? clear : in + (size_t)y * stride + 4 * x;
}

void ikran_sample_line(const uint8_t *in, size_t stride, size_t width, size_t height, int64_t x,
                       int64_t y, int64_t stepX, int64_t stepY, uint8_t *out, size_t count) {
  const int64_t across = (int64_t)width, down = (int64_t)height;
  for (size_t i = 0; i < count; i++, x += stepX, y += stepY, out += 4) {
    // Weights have 11 bits: four products of two of them and a byte fit in 32.
    const int64_t column = x >> 32, row = y >> 32;
    const uint32_t right = (uint32_t)x >> 21, below = (uint32_t)y >> 21;
    if (column < -1 || row < -1 || column >= across || row >= down) {
      memset(out, 0, 4);
      continue;
    }
    const uint8_t *a, *b, *c, *d;
    if (column >= 0 && row >= 0 && column < across - 1 && row < down - 1) {
      a = in + (size_t)row * stride + 4 * column, b = a + 4, c = a + stride, d = c + 4;
    } else {
      a = pixel_at(in, stride, across, down, column, row);
      b = pixel_at(in, stride, across, down, column + 1, row);
      c = pixel_at(in, stride, across, down, column, row + 1);
      d = pixel_at(in, stride, across, down, column + 1, row + 1);
    }
    for (int k = 0; k < 4; k++) {
      const uint32_t top = a[k] * (2048 - right) + b[k] * right;
      const uint32_t bottom = c[k] * (2048 - right) + d[k] * right;
      out[k] = (uint8_t)((top * (2048 - below) + bottom * below + (1 << 21)) >> 22);
    }
  }
}

typedef uint8_t four_bytes __attribute__((vector_size(4)));
typedef uint16_t four_shorts __attribute__((vector_size(8)));

static inline four_shorts pixel_of(const uint8_t *pixel) {
  four_bytes bytes;
  memcpy(&bytes, pixel, 4);
  return __builtin_convertvector(bytes, four_shorts);
}

/// How much the pixel after a place counts, of 256: two products of such weights and bytes fit in 16 bits.
static inline uint16_t weight_of(int64_t place) {
  return (uint16_t)((((uint32_t)place >> 23) + 1) >> 1);
}

void ikran_sample_strips(const uint8_t *in, size_t stride, size_t height, ikran_strip *strips,
                         uint8_t *out, size_t count) {
  static const uint8_t clear[4];
  const int64_t last = (int64_t)height - 1;
  for (size_t i = 0; i < count; i++, out += 4) {
    ikran_strip *strip = strips + i;
    const int64_t row = strip->place >> 32;
    const uint16_t weight = weight_of(strip->place);
    strip->place += strip->step;
    if (row < -1 || row > last) {
      memset(out, 0, 4);
      continue;
    }
    const uint8_t *above = in + (ptrdiff_t)row * (ptrdiff_t)stride + 4 * strip->source;
    const four_shorts a = pixel_of(row >= 0 ? above : clear);
    const four_shorts b = pixel_of(row < last ? above + stride : clear);
    const four_shorts sum = a * (uint16_t)(256 - weight) + b * weight + 128;
    const four_bytes bytes = __builtin_convertvector(sum >> 8, four_bytes);
    memcpy(out, &bytes, 4);
  }
}

typedef uint8_t eight_bytes __attribute__((vector_size(8)));
typedef uint16_t eight_shorts __attribute__((vector_size(16)));

/// Mixes two pixels that lie next to each other.
static inline void store_between(const uint8_t *two, uint16_t weight, uint8_t *out) {
  const uint16_t own = (uint16_t)(256 - weight);
  const eight_shorts weights = {own, own, own, own, weight, weight, weight, weight};
  eight_bytes pair;
  memcpy(&pair, two, 8);
  const eight_shorts parts = __builtin_convertvector(pair, eight_shorts) * weights;
  const four_shorts sum = __builtin_shufflevector(parts, parts, 0, 1, 2, 3)
      + __builtin_shufflevector(parts, parts, 4, 5, 6, 7) + 128;
  const four_bytes bytes = __builtin_convertvector(sum >> 8, four_bytes);
  memcpy(out, &bytes, 4);
}

void ikran_sample_row(const uint8_t *in, size_t width, int64_t place, int64_t step, uint8_t *out,
                      size_t count) {
  const int64_t last = (int64_t)width - 1;
  for (size_t i = 0; i < count; i++, place += step, out += 4) {
    const int64_t column = place >> 32;
    const uint16_t weight = weight_of(place);
    if (column >= 0 && column < last) {
      store_between(in + 4 * column, weight, out);
      continue;
    }
    // Beyond the ends there are clear pixels.
    uint8_t two[8] = {0};
    if (column >= 0 && column == last) memcpy(two, in + 4 * column, 4);
    if (column == -1) memcpy(two + 4, in, 4);
    store_between(two, weight, out);
  }
}
