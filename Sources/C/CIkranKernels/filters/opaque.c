#include "CIkranPoints.h"

#include <string.h>

#include "../simd.h"

// Whole programs that opaque pixels need no floats for.

static inline uint8_t byte(int32_t sum) {
  const int32_t v = sum >> 12;
  return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void affine_plain(const int16_t *f, const int32_t *offsets, uint8_t *pixels,
                         size_t width) {
  for (uint8_t *p = pixels; p < pixels + 4 * width; p += 4) {
    const int32_t b = p[0], g = p[1], r = p[2];
    for (int c = 0; c < 3; c++)
      p[c] = byte(f[3 * c] * b + f[3 * c + 1] * r + f[3 * c + 2] * g + offsets[c]);
  }
}

#ifdef __x86_64__
AVX2 static void affine_avx2(const int16_t *f, const int32_t *offsets, uint8_t *pixels,
                             size_t width) {
  const __m256i low = _mm256_set1_epi32(0x00FF00FF), alpha = _mm256_set1_epi32((int)0xFF000000);
  __m256i even[3], odd[3], offset[3];
  for (int c = 0; c < 3; c++) {
    even[c] = _mm256_set1_epi32((int)((uint32_t)(uint16_t)f[3 * c] |
                                      (uint32_t)(uint16_t)f[3 * c + 1] << 16));
    odd[c] = _mm256_set1_epi32((uint16_t)f[3 * c + 2]);
    offset[c] = _mm256_set1_epi32(offsets[c]);
  }
  // Packing leaves the two halves of each 128 bits interleaved by channel; this restores pixels.
  const __m256i order = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0,
                                         4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  size_t x = 0;
  for (; x + 8 <= width; x += 8) {
    const __m256i v = _mm256_loadu_si256((const __m256i *)(pixels + 4 * x));
    const __m256i br = _mm256_and_si256(v, low);
    const __m256i ga = _mm256_and_si256(_mm256_srli_epi16(v, 8), low);
    __m256i sum[3];
    for (int c = 0; c < 3; c++) {
      const __m256i t = _mm256_add_epi32(_mm256_madd_epi16(br, even[c]), offset[c]);
      sum[c] = _mm256_srai_epi32(_mm256_add_epi32(t, _mm256_madd_epi16(ga, odd[c])), 12);
    }
    const __m256i bg = _mm256_packs_epi32(sum[0], sum[1]);
    const __m256i rr = _mm256_packs_epi32(sum[2], sum[2]);
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_packus_epi16(bg, rr), order);
    _mm256_storeu_si256((__m256i *)(pixels + 4 * x), _mm256_or_si256(bytes, alpha));
  }
  affine_plain(f, offsets, pixels + 4 * x, width - x);
}
#endif

void ikran_point_affine_row(const int16_t *factors, const int32_t *offsets, uint8_t *pixels,
                            size_t width, bool simd) {
  PICK(simd, affine, factors, offsets, pixels, width);
}

void ikran_point_table_row(const uint32_t *table, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4) {
    uint32_t v;
    memcpy(&v, pixels, 4);
    v = table[v & 255] | table[256 + (v >> 8 & 255)] | table[512 + (v >> 16 & 255)];
    memcpy(pixels, &v, 4);
  }
}

// Several matrices on opaque pixels, in 16 bits: between two of them a level of 255 has 32 steps.

enum { top = 255 * 32 };

/// The high half of twice the product, rounded: what the instruction pmulhrsw computes.
static inline int32_t times(int32_t value, int16_t factor) {
  return (value * factor + 0x4000) >> 15;
}

static void matrices_plain(const ikran_point_short_matrix *m, size_t count, uint8_t *pixels,
                           size_t width) {
  for (uint8_t *p = pixels; p < pixels + 4 * width; p += 4) {
    // In the order of the factors: red, green, blue.
    int32_t v[3] = {p[2] << 7, p[1] << 7, p[0] << 7}, sum[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
      for (int c = 0; c < 3; c++) {
        const int16_t *f = m[i].factors + 3 * c;
        const int32_t t = times(v[0], f[0]) + times(v[1], f[1]) + times(v[2], f[2]) +
                          m[i].offsets[c];
        sum[c] = t < 0 ? 0 : t > top ? top : t;
      }
      for (int c = 0; c < 3; c++) v[c] = sum[c] << 2;
    }
    for (int c = 0; c < 3; c++) p[2 - c] = (uint8_t)((sum[c] + 16) >> 5);
  }
}

#ifdef __x86_64__
enum { most = 16 };

/// One matrix, each number in all lanes.
typedef struct {
  __m256i factors[9], offsets[3];
  int diagonal;
} Wide;

AVX2 static inline void spread(const ikran_point_short_matrix *m, Wide *wide) {
  wide->diagonal = 1;
  for (int i = 0; i < 9; i++) {
    wide->factors[i] = _mm256_set1_epi16(m->factors[i]);
    if (i % 4 != 0 && m->factors[i] != 0) wide->diagonal = 0;
  }
  for (int i = 0; i < 3; i++) wide->offsets[i] = _mm256_set1_epi16(m->offsets[i]);
}

AVX2 static inline __m256i channel(__m256i first, __m256i second, int shift) {
  const __m256i low = _mm256_set1_epi32(255);
  const __m256i one = _mm256_and_si256(_mm256_srli_epi32(first, shift), low);
  const __m256i two = _mm256_and_si256(_mm256_srli_epi32(second, shift), low);
  return _mm256_slli_epi16(_mm256_packus_epi32(one, two), 7);
}

AVX2 static inline void multiply(const Wide *m, __m256i *v) {
  const __m256i zero = _mm256_setzero_si256(), high = _mm256_set1_epi16(top);
  __m256i sum[3];
  for (int c = 0; c < 3; c++) {
    const __m256i *f = m->factors + 3 * c;
    if (m->diagonal) {
      sum[c] = _mm256_mulhrs_epi16(v[c], f[c]);
    } else {
      sum[c] = _mm256_add_epi16(_mm256_mulhrs_epi16(v[0], f[0]), _mm256_mulhrs_epi16(v[1], f[1]));
      sum[c] = _mm256_add_epi16(sum[c], _mm256_mulhrs_epi16(v[2], f[2]));
    }
    sum[c] = _mm256_add_epi16(sum[c], m->offsets[c]);
    sum[c] = _mm256_min_epi16(_mm256_max_epi16(sum[c], zero), high);
  }
  for (int c = 0; c < 3; c++) v[c] = _mm256_slli_epi16(sum[c], 2);
}

AVX2 static void matrices_avx2(const ikran_point_short_matrix *m, size_t count, uint8_t *pixels,
                               size_t width) {
  Wide wide[most];
  if (count > most) return matrices_plain(m, count, pixels, width);
  for (size_t i = 0; i < count; i++) spread(m + i, wide + i);
  const __m256i half = _mm256_set1_epi16(64), alpha = _mm256_set1_epi16((short)0xFF00);
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    __m256i *p = (__m256i *)(pixels + 4 * x);
    const __m256i one = _mm256_loadu_si256(p), two = _mm256_loadu_si256(p + 1);
    __m256i v[3] = {channel(one, two, 16), channel(one, two, 8), channel(one, two, 0)};
    for (size_t i = 0; i < count; i++) multiply(wide + i, v);
    for (int c = 0; c < 3; c++) v[c] = _mm256_srli_epi16(_mm256_add_epi16(v[c], half), 7);
    const __m256i bg = _mm256_or_si256(v[2], _mm256_slli_epi16(v[1], 8));
    const __m256i ra = _mm256_or_si256(v[0], alpha);
    _mm256_storeu_si256(p, _mm256_unpacklo_epi16(bg, ra));
    _mm256_storeu_si256(p + 1, _mm256_unpackhi_epi16(bg, ra));
  }
  matrices_plain(m, count, pixels + 4 * x, width - x);
}
#endif

void ikran_point_matrices_row(const ikran_point_short_matrix *matrices, size_t count,
                              uint8_t *pixels, size_t width, bool simd) {
  PICK(simd, matrices, matrices, count, pixels, width);
}
