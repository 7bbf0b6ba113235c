#pragma once
#include <math.h>

#include "../simd.h"
#include "CIkranPoints.h"

// Every loop here is compiled twice, with AVX2 and without, from one source without contraction of
// products and sums: both write the same bytes.
#pragma STDC FP_CONTRACT OFF

enum { block = 256 };

/// Straight colours of a block of pixels.
typedef struct {
  _Alignas(64) float r[block], g[block], b[block], a[block];
} Planes;

INLINE float clamp1(float v) {
  v = v > 0 ? v : 0;
  return v < 1 ? v : 1;
}
INLINE float least(float a, float b) { return a < b ? a : b; }
INLINE float most(float a, float b) { return a > b ? a : b; }
INLINE float mix(float a, float b, float share) { return a + (b - a) * share; }
/// As sqrtf, which sets errno: loops with that stay scalar.
INLINE float square_root(float v) { return __builtin_elementwise_sqrt(v); }
INLINE float luma(float r, float g, float b) {
  return IKRAN_LUMA(red) * r + IKRAN_LUMA(green) * g + IKRAN_LUMA(blue) * b;
}
INLINE float overlay(float c, float over) {
  const float dark = 2 * c * over, light = 1 - 2 * (1 - c) * (1 - over);
  return c < .5f ? dark : light;
}
INLINE float smooth(float from, float to, float v) {
  // A step where both are equal.
  const float span = to - from;
  const float t = span > 0 ? clamp1((v - from) / span) : (v >= from ? 1.f : 0.f);
  return t * t * (3 - 2 * t);
}

typedef union {
  float f;
  int32_t i;
} Bits;

/// base^exponent for a base of 0…1, accurate to a sixtieth of a byte's step; 0^0 is 1.
INLINE float power(float base, float exponent) {
  Bits x = {.f = base > 1e-30f ? base : 1e-30f};
  const int32_t e = (x.i - 0x3F3504F3) >> 23;
  x.i -= (int32_t)((uint32_t)e << 23);
  const float s = (x.f - 1) / (x.f + 1), q = s * s;
  const float series = s * (1 + q * (1 / 3.f + q * (1 / 5.f)));
  // Never above 0: the base is at most 1.
  float y = ((float)e + series * 2.885390082f) * exponent;
  y = y > -126 ? y : -126;
  const int32_t n = (int32_t)(y - .5f);
  const float t = (y - (float)n) * .6931471806f;
  const float p = 1 + t * (1 + t * (.5f + t * (1 / 6.f + t * (1 / 24.f))));
  Bits scale = {.i = (int32_t)((uint32_t)(n + 127) << 23)};
  const float result = p * scale.f, least = exponent == 0 ? 1.f : 0.f;
  return base > 1e-30f ? result : least;
}

/// A number from 0 up to 1 that belongs to a pixel.
INLINE float noise(uint32_t x, uint32_t y) {
  uint32_t h = x * 0x9E3779B1u + y * 0x85EBCA77u + 0x27D4EB2Fu;
  h = (h ^ h >> 15) * 0x2C1B3C6Du;
  h = (h ^ h >> 12) * 0x297A2D39u;
  h ^= h >> 15;
  return (float)(int32_t)(h >> 8) * 0x1p-24f;
}

INLINE uint32_t word(const uint8_t *in, size_t i) {
  uint32_t word;
  __builtin_memcpy(&word, in + 4 * i, 4);
  return word;
}
INLINE float part(uint32_t word, int shift) { return (float)(int32_t)(word >> shift & 255); }

/// Premultiplied BGRA to straight colours; those of clear pixels are black.
INLINE void spread(const uint8_t *restrict in, Planes *restrict to, size_t width) {
  for (size_t i = 0; i < width; i++) {
    const uint32_t w = word(in, i);
    const float a = part(w, 24), full = a > 0 ? 1.f : 0.f, inverse = a > 0 ? 1 / a : 0;
    const float b = part(w, 0), g = part(w, 8), r = part(w, 16);
    // A full channel is exactly 1: some modes jump there.
    to->b[i] = b < a ? b * inverse : full;
    to->g[i] = g < a ? g * inverse : full;
    to->r[i] = r < a ? r * inverse : full;
    to->a[i] = a * (1 / 255.f);
  }
}

INLINE void spread_opaque(const uint8_t *restrict in, Planes *restrict to, size_t width) {
  for (size_t i = 0; i < width; i++) {
    const uint32_t w = word(in, i);
    to->b[i] = part(w, 0) * (1 / 255.f);
    to->g[i] = part(w, 8) * (1 / 255.f);
    to->r[i] = part(w, 16) * (1 / 255.f);
    to->a[i] = 1;
  }
}
