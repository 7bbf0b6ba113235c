#pragma once
// Loops of the spatial filters, each compiled twice: with AVX2 and without.
#include <math.h>
#include <string.h>

#include "CIkranPoints.h"
#include "CIkranSpatial.h"
#include "../simd.h"

// Both targets write the same bytes.
#pragma STDC FP_CONTRACT OFF

/// The byte nearest to a value within 0…top.
INLINE uint8_t to_byte(float v, float top) {
  v = v < 0 ? 0 : v > top ? top : v;
  return (uint8_t)(int32_t)(v + .5f);
}

INLINE ptrdiff_t inside(ptrdiff_t i, ptrdiff_t length) {
  return i < 0 ? 0 : i >= length ? length - 1 : i;
}

/// A pixel's four channels as floats.
typedef float four __attribute__((vector_size(16)));
typedef uint8_t four_bytes __attribute__((vector_size(4)));
typedef int32_t four_words __attribute__((vector_size(16)));

INLINE four load(const uint8_t *pixel) {
  four_bytes bytes;
  memcpy(&bytes, pixel, 4);
  return __builtin_convertvector(__builtin_convertvector(bytes, four_words), four);
}

/// The mean of four pixels, `fx` and `fy` of the way from the top left one.
INLINE four mean_of(const uint8_t *above, const uint8_t *below, ptrdiff_t next, float fx,
                    float fy) {
  four a = load(above), b = load(below);
  a += fx * (load(above + next) - a);
  b += fx * (load(below + next) - b);
  return a + fy * (b - a);
}

/// The bilinear mean around a place in pixels, whose pixel (x, y) has its centre at (x, y).
INLINE four bilinear(ikran_pass p, double x, double y) {
  double right = (double)(p.width - 1), bottom = (double)(p.height - 1);
  x = x > 0 ? x : 0;
  x = x < right ? x : right;
  y = y > 0 ? y : 0;
  y = y < bottom ? y : bottom;
  int32_t left = (int32_t)x, top = (int32_t)y;
  float fx = (float)(x - left), fy = (float)(y - top);
  const uint8_t *above = p.in + top * p.inStride + (ptrdiff_t)left * 4;
  ptrdiff_t lower = top + 1 < p.height ? p.inStride : 0;
  return mean_of(above, above + lower, left + 1 < p.width ? 4 : 0, fx, fy);
}

/// Stores means of premultiplied pixels, 0…255; colours stay at or below alpha.
INLINE void store_mean(four v, uint8_t *out) {
  four_words whole = __builtin_convertvector(v + .5f, four_words);
  four_words top = {whole[3], whole[3], whole[3], whole[3]}, isLess = whole < top;
  four_bytes bytes = __builtin_convertvector((whole & isLess) | (top & ~isLess), four_bytes);
  memcpy(out, &bytes, 4);
}
