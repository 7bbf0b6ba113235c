#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Colours that are multiplied by their alpha, in blocks.

enum { block = 256 };

static inline bool all_opaque(const uint8_t *pixels, size_t width) {
  uint8_t all = 255;
  for (size_t x = 0; x < width; x++) all &= pixels[4 * x + 3];
  return all == 255;
}

/// Divides colours by their alpha, rounded to nearest; those of clear pixels are black.
static inline void divide(const uint8_t *in, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++, in += 4, out += 4) {
    const uint32_t a = in[3];
    for (int c = 0; c < 3; c++) {
      const uint32_t v = a == 255 ? in[c] : a == 0 ? 0 : (in[c] * 255u + a / 2) / a;
      out[c] = (uint8_t)(v > 255 ? 255 : v);
    }
    out[3] = (uint8_t)a;
  }
}

static inline void multiply(const uint8_t *in, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++, in += 4, out += 4) {
    const uint32_t a = in[3];
    for (int c = 0; c < 3; c++) {
      const uint32_t t = in[c] * a + 128;
      out[c] = (uint8_t)((t + (t >> 8)) >> 8);
    }
    out[3] = (uint8_t)a;
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
      multiply(apart, pixels, count);                                          \
    }                                                                          \
    pixels += 4 * count;                                                       \
    left -= count;                                                             \
  }
