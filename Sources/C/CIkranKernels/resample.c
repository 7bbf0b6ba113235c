#include "CIkranKernels.h"

#include "simd.h"

bool ikran_has_simd(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

static inline int16_t narrow(int32_t v) {
  return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

static inline uint8_t clamp(int32_t v, int32_t top) {
  return (uint8_t)(v < 0 ? 0 : v > top ? top : v);
}

// Sums of a run of bytes stay in registers or the L1 cache while all rows are added.
enum { run = 64 };

// Begins at byte `i`.
static void blend_plain(size_t i, const uint8_t *const *rows, const int16_t *weights, size_t count,
                        size_t bytes, int16_t *out) {
  for (; i < bytes; i += run) {
    size_t n = bytes - i < run ? bytes - i : run;
    int32_t sums[run] = {0};
    for (size_t j = 0; j < count; j++) {
      const uint8_t *row = rows[j] + i;
      int32_t weight = weights[j];
      if (n == run)
        for (size_t k = 0; k < run; k++) sums[k] += weight * row[k];
      else
        for (size_t k = 0; k < n; k++) sums[k] += weight * row[k];
    }
    for (size_t k = 0; k < n; k++) out[i + k] = narrow((sums[k] + (1 << 7)) >> 8);
  }
}

// A colour of an alpha that is over 255, for 255: a sharp filter overshoots at the edge of a picture,
// and what is cut off the alpha alone would make its colours brighter.
static inline int32_t under(int32_t color, int32_t alpha) {
  return color > 0 ? (color * 255 + (alpha >> 1)) / alpha : 0;
}

static void gather_plain(const int16_t *row, const int32_t *starts, const int16_t *counts,
                         const int16_t *weights, size_t stride, size_t width, uint8_t *out,
                         bool opaque) {
  for (size_t i = 0; i < width; i++, weights += stride, out += 4) {
    const int16_t *in = row + (size_t)starts[i] * 4;
    int32_t sum[4] = {1 << 19, 1 << 19, 1 << 19, 1 << 19};
    for (int j = 0; j < counts[i]; j++)
      for (int c = 0; c < 4; c++) sum[c] += weights[j] * in[4 * j + c];
    int32_t whole = opaque ? 255 : sum[3] >> 20;
    uint8_t alpha = clamp(whole, 255);
    for (int c = 0; c < 3; c++) {
      int32_t color = sum[c] >> 20;
      out[c] = clamp(whole > 255 ? under(color, whole) : color, alpha);
    }
    out[3] = alpha;
  }
}

#ifdef __x86_64__
#include <string.h>

static inline int32_t pair(const int16_t *weights) {
  int32_t both;
  memcpy(&both, weights, 4);
  return both;
}

// 32 bytes of two rows are interleaved to 16-bit pairs, so that one multiply-add processes both
// rows.
AVX2 static void blend_avx2(size_t i, const uint8_t *const *rows, const int16_t *weights,
                            size_t count, size_t bytes, int16_t *out) {
  const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(1 << 7);
  for (; i + 32 <= bytes; i += 32) {
    __m256i a = half, b = half, c = half, d = half;
    for (size_t j = 0; j < count; j += 2) {
      __m256i w = _mm256_set1_epi32(pair(weights + j));
      __m256i r0 = _mm256_loadu_si256((const __m256i *)(rows[j] + i));
      __m256i r1 = _mm256_loadu_si256((const __m256i *)(rows[j + 1] + i));
      __m256i lo = _mm256_unpacklo_epi8(r0, r1), hi = _mm256_unpackhi_epi8(r0, r1);
      a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_unpacklo_epi8(lo, zero), w));
      b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_unpackhi_epi8(lo, zero), w));
      c = _mm256_add_epi32(c, _mm256_madd_epi16(_mm256_unpacklo_epi8(hi, zero), w));
      d = _mm256_add_epi32(d, _mm256_madd_epi16(_mm256_unpackhi_epi8(hi, zero), w));
    }
    __m256i ab = _mm256_packs_epi32(_mm256_srai_epi32(a, 8), _mm256_srai_epi32(b, 8));
    __m256i cd = _mm256_packs_epi32(_mm256_srai_epi32(c, 8), _mm256_srai_epi32(d, 8));
    _mm256_storeu_si256((__m256i *)(out + i), _mm256_permute2x128_si256(ab, cd, 0x20));
    _mm256_storeu_si256((__m256i *)(out + i + 16), _mm256_permute2x128_si256(ab, cd, 0x31));
  }
  blend_plain(i, rows, weights, count, bytes, out);
}

AVX2 static void gather_avx2(const int16_t *row, const int32_t *starts, const int16_t *counts,
                             const int16_t *weights, size_t stride, size_t width, uint8_t *out,
                             bool opaque) {
  const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0, 1,
                                         8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
  const __m256i spread = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  const __m128i half = _mm_set1_epi32(1 << 19), full = _mm_setr_epi32(0, 0, 0, 255);
  for (size_t i = 0; i < width; i++, weights += stride, out += 4) {
    const int16_t *in = row + (size_t)starts[i] * 4;
    __m256i sum = _mm256_setzero_si256();
    for (int j = 0; j < counts[i]; j += 4) {
      __m256i v = _mm256_loadu_si256((const __m256i *)(in + 4 * j));
      __m128i w = _mm_loadl_epi64((const __m128i *)(weights + j));
      __m256i ww = _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(w), spread);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_shuffle_epi8(v, pairs), ww));
    }
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    s = _mm_srai_epi32(_mm_add_epi32(s, half), 20);
    int32_t alpha = _mm_extract_epi32(s, 3);
    if (opaque) s = _mm_or_si128(_mm_blend_epi16(s, _mm_setzero_si128(), 0xC0), full);
    else if (alpha > 255)
      s = _mm_setr_epi32(under(_mm_extract_epi32(s, 0), alpha), under(_mm_extract_epi32(s, 1), alpha),
                         under(_mm_extract_epi32(s, 2), alpha), 255);
    s = _mm_packus_epi16(_mm_packs_epi32(s, s), s);
    if (!opaque) s = _mm_min_epu8(s, _mm_shuffle_epi8(s, _mm_set1_epi8(3)));
    int32_t pixel = _mm_cvtsi128_si32(s);
    memcpy(out, &pixel, 4);
  }
}
#endif

void ikran_blend_rows(const uint8_t *const *rows, const int16_t *weights, size_t count,
                      size_t bytes, int16_t *out, bool simd) {
  PICK(simd, blend, 0, rows, weights, count, bytes, out);
}

void ikran_gather_row(const int16_t *row, const int32_t *starts, const int16_t *counts,
                      const int16_t *weights, size_t stride, size_t width, uint8_t *out,
                      bool opaque, bool simd) {
  PICK(simd, gather, row, starts, counts, weights, stride, width, out, opaque);
}
