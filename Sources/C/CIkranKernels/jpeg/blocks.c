#include "CIkranKernels.h"

#include <string.h>

#include "../simd.h"

// The inverse transforms of libjpeg (jidctint.c, jidctred.c), bit-exact: constants with 13
// fractional bits, 2 more between the passes. A reduced block holds the means of the whole block's
// pixels. Compiler vectors work on every processor; sums wrap, as hostile data can overflow them.

typedef uint32_t v8 __attribute__((vector_size(32)));
typedef int32_t v8i __attribute__((vector_size(32)));
typedef uint16_t h8 __attribute__((vector_size(16)));
typedef int16_t h8i __attribute__((vector_size(16)));
typedef uint8_t b8 __attribute__((vector_size(8)));

// Every function that takes a vector is inlined, so the calling convention for vectors never
// matters.
#pragma clang diagnostic ignored "-Wpsabi"

INLINE v8 shifted(v8 v, int bits) { return (v8)((v8i)(v + (1u << (bits - 1))) >> bits); }

// The lower half of each vector element, sign-extended.
INLINE v8 half(v8 v) { return (v8)((v8i)(v << 16) >> 16); }

// Each element saturated to 16 bits.
INLINE v8 narrow(v8 v) {
  const v8i zero = {0}, least = zero + INT16_MIN, most = zero + INT16_MAX;
  return (v8)__builtin_elementwise_min(__builtin_elementwise_max((v8i)v, least), most);
}

INLINE void load(const int16_t *coefficients, const uint16_t *steps, v8 *rows) {
  for (int i = 0; i < 8; i++) {
    h8 values, row;
    memcpy(&values, coefficients + 8 * i, 16);
    memcpy(&row, steps + 8 * i, 16);
    rows[i] = (v8)__builtin_convertvector((h8i)(values * row), v8i);
  }
}

INLINE void transpose(v8 *r) {
  v8 a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; j++) {
      b[i + 2 * j] = __builtin_shufflevector(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + 2 * j + 1] =
          __builtin_shufflevector(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Eight samples from eight coefficients, in every element. Sums that no undamaged picture reaches
// saturate nearly as in libjpeg's vector code.
INLINE void transform8(v8 *r, int bits) {
  v8 z1 = (r[2] + r[6]) * 4433u;
  v8 t2 = z1 - r[6] * 15137u, t3 = z1 + r[2] * 6270u;
  v8 t0 = (r[0] + r[4]) << 16, t1 = (r[0] - r[4]) << 16;
  t0 = (v8)((v8i)t0 >> 3), t1 = (v8)((v8i)t1 >> 3);
  v8 e0 = t0 + t3, e3 = t0 - t3, e1 = t1 + t2, e2 = t1 - t2;
  v8 z3 = half(r[7] + r[3]), z4 = half(r[5] + r[1]);
  v8 z5 = (z3 + z4) * 9633u;
  z1 = (r[7] + r[1]) * 7373u;
  v8 z2 = (r[5] + r[3]) * 20995u;
  z3 = z5 - z3 * 16069u, z4 = z5 - z4 * 3196u;
  v8 o0 = r[7] * 2446u - z1 + z3, o1 = r[5] * 16819u - z2 + z4;
  v8 o2 = r[3] * 25172u - z2 + z3, o3 = r[1] * 12299u - z1 + z4;
  r[0] = narrow(shifted(e0 + o3, bits)), r[7] = narrow(shifted(e0 - o3, bits));
  r[1] = narrow(shifted(e1 + o2, bits)), r[6] = narrow(shifted(e1 - o2, bits));
  r[2] = narrow(shifted(e2 + o1, bits)), r[5] = narrow(shifted(e2 - o1, bits));
  r[3] = narrow(shifted(e3 + o0, bits)), r[4] = narrow(shifted(e3 - o0, bits));
}

// Four means of two samples each from seven coefficients: the fifth does not contribute.
INLINE void transform4(const v8 *r, v8 *out, int bits) {
  v8 t0 = r[0] << 14, t2 = r[2] * 15137u - r[6] * 6270u;
  v8 e0 = t0 + t2, e1 = t0 - t2;
  v8 o1 = r[5] * 11893u - r[7] * 1730u - r[3] * 17799u + r[1] * 8697u;
  v8 o0 = r[3] * 7373u - r[7] * 4176u - r[5] * 4926u + r[1] * 20995u;
  out[0] = shifted(e0 + o0, bits), out[3] = shifted(e0 - o0, bits);
  out[1] = shifted(e1 + o1, bits), out[2] = shifted(e1 - o1, bits);
}

INLINE b8 samples(v8 v) {
  const v8i zero = {0}, top = zero + 255;
  v8i centred = (v8i)v + 128;
  return __builtin_convertvector(
      __builtin_elementwise_min(__builtin_elementwise_max(centred, zero), top), b8);
}

INLINE void blocks8_loop(const int16_t *coefficients, size_t count, const uint16_t *steps,
                         uint8_t *out, size_t stride) {
  for (; count > 0; count--, coefficients += 64, out += 8) {
    v8 rows[8];
    load(coefficients, steps, rows);
    transform8(rows, 11);
    transpose(rows);
    transform8(rows, 18);
    transpose(rows);
    for (int i = 0; i < 8; i++) {
      b8 bytes = samples(rows[i]);
      memcpy(out + (size_t)i * stride, &bytes, 8);
    }
  }
}

INLINE void blocks4_loop(const int16_t *coefficients, size_t count, const uint16_t *steps,
                         uint8_t *out, size_t stride) {
  for (; count > 0; count--, coefficients += 64, out += 4) {
    v8 rows[8], columns[8] = {{0}};
    load(coefficients, steps, rows);
    transform4(rows, columns, 12);
    transpose(columns);
    transform4(columns, rows, 19);
    // Element y of vector x is the sample at (x, y).
    b8 b0 = samples(rows[0]), b1 = samples(rows[1]), b2 = samples(rows[2]), b3 = samples(rows[3]);
    b8 low = __builtin_shufflevector(b0, b1, 0, 8, 1, 9, 2, 10, 3, 11);
    b8 high = __builtin_shufflevector(b2, b3, 0, 8, 1, 9, 2, 10, 3, 11);
    b8 upper = __builtin_shufflevector(low, high, 0, 1, 8, 9, 2, 3, 10, 11);
    b8 lower = __builtin_shufflevector(low, high, 4, 5, 12, 13, 6, 7, 14, 15);
    memcpy(out, &upper, 4);
    memcpy(out + stride, (uint8_t *)&upper + 4, 4);
    memcpy(out + 2 * stride, &lower, 4);
    memcpy(out + 3 * stride, (uint8_t *)&lower + 4, 4);
  }
}

INLINE uint8_t sample(int32_t v) { return (uint8_t)(v < -128 ? 0 : v > 127 ? 255 : v + 128); }

// Means of four samples: 16384 · r(u) · r(v) for the first five coefficients in zigzag order, with
// r = 1, 0.90613, 0; then with the signs of the other three samples.
static const int16_t means[4][8] = {{16384, 14846, 14846, 0, 13452, 0, 0, 0},
                                    {16384, -14846, 14846, 0, -13452, 0, 0, 0},
                                    {16384, 14846, -14846, 0, -13452, 0, 0, 0},
                                    {16384, -14846, -14846, 0, 13452, 0, 0, 0}};

static void blocks2_plain(const int16_t *coefficients, size_t count, const uint16_t *steps,
                          uint8_t *out, size_t stride) {
  for (; count > 0; count--, coefficients += 8, out += 2) {
    uint32_t sums[4] = {0};
    for (int i = 0; i < 8; i++) {
      int16_t value = (int16_t)(coefficients[i] * steps[i]);
      for (int j = 0; j < 4; j++) sums[j] += (uint32_t)(value * means[j][i]);
    }
    for (int j = 0; j < 4; j++)
      out[(size_t)(j >> 1) * stride + (j & 1)] = sample((int32_t)(sums[j] + (1 << 16)) >> 17);
  }
}

INLINE void blocks1_loop(const int16_t *coefficients, size_t count, const uint16_t *steps,
                         uint8_t *out) {
  for (size_t i = 0; i < count; i++)
    out[i] = sample(((int32_t)(int16_t)(coefficients[i] * steps[0]) + 4) >> 3);
}

// How much the mean of a block's later half exceeds the block's, in 512ths of a level: of the curve
// of the fourth degree through five means.
INLINE int32_t rise(int32_t before2, int32_t before, int32_t after, int32_t after2) {
  return (22 * (after - before) - 3 * (after2 - before2)) / 2;
}

// The four samples of block `x`, whose neighbours may be the block itself.
INLINE void interpolate_at(const int16_t *const *rows, size_t left2, size_t left, size_t x,
                           size_t right, size_t right2, int32_t step, uint8_t *upper,
                           uint8_t *lower) {
  const int16_t *above = rows[1], *here = rows[2], *below = rows[3];
  int32_t across = rise(here[left2], here[left], here[right], here[right2]);
  int32_t down = rise(rows[0][x], above[x], below[x], rows[4][x]);
  int32_t twist = below[right] + above[left] - below[left] - above[right];
  int32_t top = 64 * here[x] - down, bottom = 64 * here[x] + down;
  upper[0] = sample((step * (top - across + twist) + 256) >> 9);
  upper[1] = sample((step * (top + across - twist) + 256) >> 9);
  lower[0] = sample((step * (bottom - across - twist) + 256) >> 9);
  lower[1] = sample((step * (bottom + across + twist) + 256) >> 9);
}

enum { TILE = 16 };

INLINE void interpolate_loop(const int16_t *const *rows, size_t count, int32_t step, uint8_t *out,
                             size_t stride) {
  size_t last = count - 1;
  for (size_t x = 0; x < count;) {
    if (x < 2 || x + TILE + 2 > count) {
      interpolate_at(rows, x < 2 ? 0 : x - 2, x < 1 ? 0 : x - 1, x, x + 1 > last ? last : x + 1,
                     x + 2 > last ? last : x + 2, step, out + 2 * x, out + stride + 2 * x);
      x++;
      continue;
    }
    // Samples that cannot overlap with means, so that the compiler uses vectors.
    uint8_t upper[2 * TILE], lower[2 * TILE];
    for (size_t i = 0; i < TILE; i++)
      interpolate_at(rows, x + i - 2, x + i - 1, x + i, x + i + 1, x + i + 2, step, upper + 2 * i,
                     lower + 2 * i);
    memcpy(out + 2 * x, upper, sizeof upper);
    memcpy(out + stride + 2 * x, lower, sizeof lower);
    x += TILE;
  }
}

#ifdef __x86_64__
AVX2 static void blocks2_avx2(const int16_t *coefficients, size_t count, const uint16_t *steps,
                              uint8_t *out, size_t stride) {
  const __m128i step = _mm_loadu_si128((const __m128i *)steps);
  __m128i weights[4];
  for (int j = 0; j < 4; j++) weights[j] = _mm_loadu_si128((const __m128i *)means[j]);
  for (; count > 0; count--, coefficients += 8, out += 2) {
    __m128i v = _mm_mullo_epi16(_mm_loadu_si128((const __m128i *)coefficients), step);
    __m128i upper = _mm_hadd_epi32(_mm_madd_epi16(v, weights[0]), _mm_madd_epi16(v, weights[1]));
    __m128i lower = _mm_hadd_epi32(_mm_madd_epi16(v, weights[2]), _mm_madd_epi16(v, weights[3]));
    __m128i s = _mm_hadd_epi32(upper, lower);
    s = _mm_srai_epi32(_mm_add_epi32(s, _mm_set1_epi32(1 << 16)), 17);
    s = _mm_packs_epi32(_mm_add_epi32(s, _mm_set1_epi32(128)), s);
    uint32_t four = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(s, s));
    memcpy(out, &four, 2);
    memcpy(out + stride, (uint8_t *)&four + 2, 2);
  }
}
#endif

TWICE(blocks8,
      (const int16_t *coefficients, size_t count, const uint16_t *steps, uint8_t *out,
       size_t stride),
      (coefficients, count, steps, out, stride))
TWICE(blocks4,
      (const int16_t *coefficients, size_t count, const uint16_t *steps, uint8_t *out,
       size_t stride),
      (coefficients, count, steps, out, stride))
TWICE(blocks1, (const int16_t *coefficients, size_t count, const uint16_t *steps, uint8_t *out),
      (coefficients, count, steps, out))
TWICE(interpolate,
      (const int16_t *const *rows, size_t count, int32_t step, uint8_t *out, size_t stride),
      (rows, count, step, out, stride))

void ikran_jpeg_blocks(const int16_t *coefficients, size_t count, const uint16_t *steps,
                       size_t side, uint8_t *out, size_t stride, bool simd) {
  switch (side) {
    case 8: return PICK(simd, blocks8, coefficients, count, steps, out, stride);
    case 4: return PICK(simd, blocks4, coefficients, count, steps, out, stride);
    case 2: return PICK(simd, blocks2, coefficients, count, steps, out, stride);
    default: return PICK(simd, blocks1, coefficients, count, steps, out);
  }
}

void ikran_jpeg_interpolate(const int16_t *const *rows, size_t count, uint16_t step, uint8_t *out,
                            size_t stride, bool simd) {
  PICK(simd, interpolate, rows, count, step, out, stride);
}
