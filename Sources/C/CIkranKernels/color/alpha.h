#pragma once
#include <string.h>

#include "CIkranKernels.h"

// Colours that are multiplied by their alpha, in blocks.

enum { block = 256 };

static inline bool all_opaque(const uint8_t *pixels, size_t width) {
  uint8_t all = 255;
  for (size_t x = 0; x < width; x++) all &= pixels[4 * x + 3];
  return all == 255;
}

/// Divides a colour by its alpha, rounded to nearest.
///
/// The float is exact enough: quotients of such numbers are further from the next whole one.
static inline uint32_t divided(uint32_t color, int32_t alpha, float inverse) {
  const int32_t v = (int32_t)(color & 255), bounded = v < alpha ? v : alpha;
  return (uint32_t)(int32_t)(((float)(bounded * 255 + alpha / 2) + .25f) * inverse);
}

/// Divides colours by their alpha; those of clear pixels are black.
static inline void divide(const uint8_t *restrict in, uint8_t *restrict out, size_t width) {
  // Words of one pixel, which vectorise well.
  for (size_t x = 0; x < width; x++) {
    uint32_t v;
    memcpy(&v, in + 4 * x, 4);
    const int32_t alpha = (int32_t)(v >> 24);
    const float inverse = 1.f / (float)(alpha > 0 ? alpha : 1);
    v = divided(v, alpha, inverse) | divided(v >> 8, alpha, inverse) << 8 |
        divided(v >> 16, alpha, inverse) << 16 | (v & 0xFF000000);
    memcpy(out + 4 * x, &v, 4);
  }
}

/// Runs `straight(pixels, width)` on straight colours.
#define EACH_BLOCK(straight)                                                   \
  if (opaque) {                                                                \
    straight(pixels, width);                                                   \
    return;                                                                    \
  }                                                                            \
  for (size_t left = width; left > 0;) {                                       \
    const size_t count = left < block ? left : block;                          \
    if (all_opaque(pixels, count)) {                                           \
      straight(pixels, count);                                                 \
    } else {                                                                   \
      uint8_t apart[4 * block];                                                \
      divide(pixels, apart, count);                                            \
      straight(apart, count);                                                  \
      ikran_premultiply(apart, count, simd);                                   \
      memcpy(pixels, apart, 4 * count);                                        \
    }                                                                          \
    pixels += 4 * count;                                                       \
    left -= count;                                                             \
  }
