// The loops of the Gaussian blur: rows are blended with integer weights, columns with floats.
#include "spatial.h"

double ikran_exp(double x) { return exp(x); }

enum { run = 64 };

// Loops over rows begin at value `i`.

static void rows_plain(size_t i, const uint8_t *const *rows, const int16_t *weights, size_t count,
                       const uint8_t *first, int32_t firstWeight, const uint8_t *last,
                       int32_t lastWeight, int shift, size_t bytes, int16_t *out) {
  for (; i < bytes; i += run) {
    size_t n = bytes - i < run ? bytes - i : run;
    int32_t sums[run];
    for (size_t k = 0; k < n; k++)
      sums[k] = (1 << (shift - 1)) + first[i + k] * firstWeight + last[i + k] * lastWeight;
    for (size_t j = 0; j < count; j++) {
      const uint8_t *row = rows[j] + i;
      int32_t weight = weights[j];
      for (size_t k = 0; k < n; k++) sums[k] += weight * row[k];
    }
    for (size_t k = 0; k < n; k++) out[i + k] = (int16_t)(sums[k] >> shift);
  }
}

static void finish_plain(size_t i, const int16_t *const *rows, const int16_t *weights, size_t count,
                         int shift, size_t values, uint8_t *out) {
  for (; i < values; i += run) {
    size_t n = values - i < run ? values - i : run;
    int32_t sums[run];
    for (size_t k = 0; k < n; k++) sums[k] = 1 << (shift + 6);
    for (size_t j = 0; j < count; j++) {
      const int16_t *row = rows[j] + i;
      int32_t weight = weights[j];
      for (size_t k = 0; k < n; k++) sums[k] += weight * row[k];
    }
    for (size_t k = 0; k < n; k++) out[i + k] = (uint8_t)(sums[k] >> (shift + 7));
  }
}

#ifdef __x86_64__
#include <string.h>

static inline int32_t pair(const int16_t *weights) {
  int32_t both;
  memcpy(&both, weights, 4);
  return both;
}

// Adds 32 bytes times one weight to four sums, in the order in which unpacking leaves them.
AVX2 static inline void add_edge(__m256i sums[4], const uint8_t *row, int32_t weight) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i w = _mm256_set1_epi32(weight), r = _mm256_loadu_si256((const __m256i *)row);
  __m256i lo = _mm256_unpacklo_epi8(r, zero), hi = _mm256_unpackhi_epi8(r, zero);
  __m256i parts[4] = {_mm256_unpacklo_epi16(lo, zero), _mm256_unpackhi_epi16(lo, zero),
                      _mm256_unpacklo_epi16(hi, zero), _mm256_unpackhi_epi16(hi, zero)};
  for (int k = 0; k < 4; k++)
    sums[k] = _mm256_add_epi32(sums[k], _mm256_mullo_epi32(parts[k], w));
}

// Adds 32 bytes of two rows, interleaved to 16-bit pairs, times two weights.
AVX2 static inline void add_pair(__m256i sums[4], const uint8_t *first, const uint8_t *second,
                                 __m256i w) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i r0 = _mm256_loadu_si256((const __m256i *)first);
  __m256i r1 = _mm256_loadu_si256((const __m256i *)second);
  __m256i lo = _mm256_unpacklo_epi8(r0, r1), hi = _mm256_unpackhi_epi8(r0, r1);
  sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(_mm256_unpacklo_epi8(lo, zero), w));
  sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(_mm256_unpackhi_epi8(lo, zero), w));
  sums[2] = _mm256_add_epi32(sums[2], _mm256_madd_epi16(_mm256_unpacklo_epi8(hi, zero), w));
  sums[3] = _mm256_add_epi32(sums[3], _mm256_madd_epi16(_mm256_unpackhi_epi8(hi, zero), w));
}

AVX2 static inline void store_rows(const __m256i sums[4], __m128i by, int16_t *out) {
  __m256i ab = _mm256_packs_epi32(_mm256_sra_epi32(sums[0], by), _mm256_sra_epi32(sums[1], by));
  __m256i cd = _mm256_packs_epi32(_mm256_sra_epi32(sums[2], by), _mm256_sra_epi32(sums[3], by));
  _mm256_storeu_si256((__m256i *)out, _mm256_permute2x128_si256(ab, cd, 0x20));
  _mm256_storeu_si256((__m256i *)(out + 16), _mm256_permute2x128_si256(ab, cd, 0x31));
}

// 64 bytes at a time: rows often lie a multiple of 4096 bytes apart, so that their lines share one
// cache set and do not stay for a second turn.
AVX2 static void rows_avx2(size_t i, const uint8_t *const *rows, const int16_t *weights,
                           size_t count, const uint8_t *first, int32_t firstWeight,
                           const uint8_t *last, int32_t lastWeight, int shift, size_t bytes,
                           int16_t *out) {
  const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
  const __m128i by = _mm_cvtsi32_si128(shift);
  for (; i + 64 <= bytes; i += 64) {
    __m256i low[4] = {half, half, half, half}, high[4] = {half, half, half, half};
    if (firstWeight) {
      add_edge(low, first + i, firstWeight);
      add_edge(high, first + i + 32, firstWeight);
    }
    if (lastWeight) {
      add_edge(low, last + i, lastWeight);
      add_edge(high, last + i + 32, lastWeight);
    }
    for (size_t j = 0; j < count; j += 2) {
      __m256i w = _mm256_set1_epi32(pair(weights + j));
      add_pair(low, rows[j] + i, rows[j + 1] + i, w);
      add_pair(high, rows[j] + i + 32, rows[j + 1] + i + 32, w);
    }
    store_rows(low, by, out + i);
    store_rows(high, by, out + i + 32);
  }
  rows_plain(i, rows, weights, count, first, firstWeight, last, lastWeight, shift, bytes, out);
}

AVX2 static void finish_avx2(size_t i, const int16_t *const *rows, const int16_t *weights,
                             size_t count, int shift, size_t values, uint8_t *out) {
  const __m256i half = _mm256_set1_epi32(1 << (shift + 6));
  const __m128i by = _mm_cvtsi32_si128(shift + 7);
  for (; i + 32 <= values; i += 32) {
    __m256i a = half, b = half, c = half, d = half;
    for (size_t j = 0; j < count; j += 2) {
      __m256i w = _mm256_set1_epi32(pair(weights + j));
      __m256i r0 = _mm256_loadu_si256((const __m256i *)(rows[j] + i));
      __m256i r1 = _mm256_loadu_si256((const __m256i *)(rows[j + 1] + i));
      __m256i s0 = _mm256_loadu_si256((const __m256i *)(rows[j] + i + 16));
      __m256i s1 = _mm256_loadu_si256((const __m256i *)(rows[j + 1] + i + 16));
      a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_unpacklo_epi16(r0, r1), w));
      b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_unpackhi_epi16(r0, r1), w));
      c = _mm256_add_epi32(c, _mm256_madd_epi16(_mm256_unpacklo_epi16(s0, s1), w));
      d = _mm256_add_epi32(d, _mm256_madd_epi16(_mm256_unpackhi_epi16(s0, s1), w));
    }
    __m256i ab = _mm256_packs_epi32(_mm256_sra_epi32(a, by), _mm256_sra_epi32(b, by));
    __m256i cd = _mm256_packs_epi32(_mm256_sra_epi32(c, by), _mm256_sra_epi32(d, by));
    __m256i all = _mm256_permute4x64_epi64(_mm256_packus_epi16(ab, cd), 0xD8);
    _mm256_storeu_si256((__m256i *)(out + i), all);
  }
  finish_plain(i, rows, weights, count, shift, values, out);
}
#endif

void ikran_blur_rows(const uint8_t *const *rows, const int16_t *weights, size_t count,
                     const uint8_t *first, int32_t firstWeight, const uint8_t *last,
                     int32_t lastWeight, int shift, size_t bytes, int16_t *out, bool simd) {
  PICK(simd, rows, 0, rows, weights, count, first, firstWeight, last, lastWeight, shift, bytes,
       out);
}

void ikran_blur_finish_rows(const int16_t *const *rows, const int16_t *weights, size_t count,
                            int shift, size_t values, uint8_t *out, bool simd) {
  PICK(simd, finish, 0, rows, weights, count, shift, values, out);
}

INLINE void narrow_loop(const int16_t *row, size_t width, ptrdiff_t step, ptrdiff_t origin,
                        const float *weights, const float *before, size_t taps, float *wide,
                        float *out, size_t results) {
  for (size_t i = 0; i < width * 4; i++) wide[i] = row[i];
  const float *last = wide + (width - 1) * 4;
  for (size_t k = 0; k < results; k++, out += 4) {
    ptrdiff_t start = (ptrdiff_t)k * step + origin, count = (ptrdiff_t)taps;
    ptrdiff_t low = start < 0 ? -start : 0, high = (ptrdiff_t)width - start;
    low = low > count ? count : low;
    high = high < 0 ? 0 : high > count ? count : high;
    float left = before[low], right = before[taps] - before[high];
    float sum[4];
    for (int c = 0; c < 4; c++) sum[c] = left * wide[c] + right * last[c];
    for (ptrdiff_t j = low; j < high; j++) {
      const float *in = wide + (start + j) * 4;
      for (int c = 0; c < 4; c++) sum[c] += weights[j] * in[c];
    }
    for (int c = 0; c < 4; c++) out[c] = sum[c];
  }
}

INLINE void widen_loop(const float *row, size_t step, const float *weights, size_t taps,
                       int16_t *out, size_t width) {
  size_t phase = 0, turn = step / 2;
  for (size_t x = 0; x < width; x++, out += 4) {
    const float *in = phase < turn ? row : row + 4, *weight = weights + phase * taps;
    float sum[4] = {.5f, .5f, .5f, .5f};
    for (size_t j = 0; j < taps; j++)
      for (int c = 0; c < 4; c++) sum[c] += weight[j] * in[j * 4 + c];
    for (int c = 0; c < 4; c++) out[c] = (int16_t)sum[c];
    if (++phase == step) {
      phase = 0;
      row += 4;
    }
  }
}

TWICE(narrow,
      (const int16_t *row, size_t width, ptrdiff_t step, ptrdiff_t origin, const float *weights,
       const float *before, size_t taps, float *wide, float *out, size_t results),
      (row, width, step, origin, weights, before, taps, wide, out, results))
TWICE(widen,
      (const float *row, size_t step, const float *weights, size_t taps, int16_t *out,
       size_t width),
      (row, step, weights, taps, out, width))

void ikran_blur_narrow(const int16_t *row, size_t width, ptrdiff_t step, ptrdiff_t origin,
                       const float *weights, const float *before, size_t taps, float *wide,
                       float *out, size_t results, bool simd) {
  PICK(simd, narrow, row, width, step, origin, weights, before, taps, wide, out, results);
}

void ikran_blur_widen(const float *row, size_t step, const float *weights, size_t taps,
                      int16_t *out, size_t width, bool simd) {
  PICK(simd, widen, row, step, weights, taps, out, width);
}

INLINE void whole_loop(const int16_t *in, size_t values, uint8_t *out) {
  for (size_t i = 0; i < values; i++) out[i] = (uint8_t)((in[i] + 64) >> 7);
}
TWICE(whole, (const int16_t *in, size_t values, uint8_t *out), (in, values, out))

void ikran_blur_round(const int16_t *in, size_t values, uint8_t *out, bool simd) {
  PICK(simd, whole, in, values, out);
}
