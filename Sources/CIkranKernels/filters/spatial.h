#pragma once
// Loops of the spatial filters, each compiled twice: with AVX2 and without.
#include <math.h>
#include <string.h>

#include "CIkranSpatial.h"
#include "../simd.h"

#define INLINE static inline __attribute__((always_inline))
/// A loop without a target of its own: both instances take it in.
#define LOOP INLINE

#if IKRAN_AVX2
/// Defines name_plain and name_avx2, which both run name_loop.
#define TWICE(name, parameters, arguments)                        \
  static void name##_plain parameters { name##_loop arguments; }  \
  AVX2 static void name##_avx2 parameters { name##_loop arguments; }
#define PICK(simd, name) ((simd) ? name##_avx2 : name##_plain)
#else
#define TWICE(name, parameters, arguments) \
  static void name##_plain parameters { name##_loop arguments; }
#define PICK(simd, name) ((void)(simd), name##_plain)
#endif

/// The byte nearest to a value within 0…top.
INLINE uint8_t to_byte(float v, float top) {
  v = v < 0 ? 0 : v > top ? top : v;
  return (uint8_t)(int32_t)(v + .5f);
}

INLINE ptrdiff_t inside(ptrdiff_t i, ptrdiff_t length) {
  return i < 0 ? 0 : i >= length ? length - 1 : i;
}

/// The bilinear mean around a place in pixels, whose pixel (x, y) has its centre at (x, y).
INLINE void bilinear(ikran_pass p, double x, double y, float out[4]) {
  double right = (double)(p.width - 1), bottom = (double)(p.height - 1);
  x = x < 0 ? 0 : x > right ? right : x;
  y = y < 0 ? 0 : y > bottom ? bottom : y;
  ptrdiff_t left = (ptrdiff_t)x, top = (ptrdiff_t)y;
  float fx = (float)(x - (double)left), fy = (float)(y - (double)top);
  const uint8_t *a = p.in + top * p.inStride + left * 4;
  const uint8_t *b = a + (top + 1 < p.height ? p.inStride : 0);
  ptrdiff_t next = left + 1 < p.width ? 4 : 0;
  for (int c = 0; c < 4; c++) {
    float above = (float)a[c] + fx * (float)(a[next + c] - a[c]);
    float below = (float)b[c] + fx * (float)(b[next + c] - b[c]);
    out[c] = above + fy * (below - above);
  }
}

/// Stores means of premultiplied pixels; rounding keeps the order of colours and alpha.
INLINE void store_mean(const float v[4], uint8_t *out) {
  float alpha = v[3] < 255 ? v[3] : 255;
  for (int c = 0; c < 4; c++) out[c] = to_byte(v[c], alpha);
}
