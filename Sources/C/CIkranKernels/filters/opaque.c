#include "CIkranPoints.h"

#include <string.h>

#include "../simd.h"

// Whole programs that opaque pixels need no floats for.

static inline uint32_t fixed_sum(ikran_point_fixed_row m, int32_t r, int32_t g, int32_t b) {
  const int32_t v = (m.red * r + m.green * g + m.blue * b + m.offset) >> 12;
  return (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void fixed_plain(const ikran_point_fixed_matrix *m, uint8_t *pixels, size_t width) {
  const ikran_point_fixed_matrix own = *m;
  // Words of one pixel, which vectorise well.
  for (size_t x = 0; x < width; x++) {
    uint32_t v;
    memcpy(&v, pixels + 4 * x, 4);
    const int32_t b = (int32_t)(v & 255), g = (int32_t)(v >> 8 & 255), r = (int32_t)(v >> 16 & 255);
    v = fixed_sum(own.blue, r, g, b) | fixed_sum(own.green, r, g, b) << 8 |
        fixed_sum(own.red, r, g, b) << 16 | (v & 0xFF000000);
    memcpy(pixels + 4 * x, &v, 4);
  }
}

#ifdef __x86_64__
AVX2 static void fixed_avx2(const ikran_point_fixed_matrix *m, uint8_t *pixels, size_t width) {
  const __m256i low = _mm256_set1_epi32(0x00FF00FF), alpha = _mm256_set1_epi32((int)0xFF000000);
  const ikran_point_fixed_row rows[3] = {m->blue, m->green, m->red};
  __m256i even[3], odd[3], offset[3];
  for (int c = 0; c < 3; c++) {
    even[c] = _mm256_set1_epi32((int)((uint32_t)(uint16_t)rows[c].blue |
                                      (uint32_t)(uint16_t)rows[c].red << 16));
    odd[c] = _mm256_set1_epi32((uint16_t)rows[c].green);
    offset[c] = _mm256_set1_epi32(rows[c].offset);
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
  fixed_plain(m, pixels + 4 * x, width - x);
}
#endif

void ikran_point_fixed_matrix_row(const ikran_point_fixed_matrix *matrix, uint8_t *pixels,
                                  size_t width, bool simd) {
  PICK(simd, fixed, matrix, pixels, width);
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

static inline int32_t short_sum(ikran_point_short_row m, int32_t r, int32_t g, int32_t b) {
  const int32_t sum = times(r, m.red) + times(g, m.green) + times(b, m.blue) + m.offset;
  return sum < 0 ? 0 : sum > top ? top : sum;
}

static void matrices_plain(const ikran_point_short_matrix *m, size_t count, uint8_t *pixels,
                           size_t width) {
  for (uint8_t *p = pixels; p < pixels + 4 * width; p += 4) {
    int32_t r = p[2] << 5, g = p[1] << 5, b = p[0] << 5;
    for (size_t i = 0; i < count; i++) {
      const int32_t red = r << 2, green = g << 2, blue = b << 2;
      r = short_sum(m[i].red, red, green, blue);
      g = short_sum(m[i].green, red, green, blue);
      b = short_sum(m[i].blue, red, green, blue);
    }
    p[0] = (uint8_t)((b + 16) >> 5), p[1] = (uint8_t)((g + 16) >> 5);
    p[2] = (uint8_t)((r + 16) >> 5);
  }
}

#ifdef __x86_64__
enum { most = 16 };

/// One matrix, each number in all lanes: three factors and an offset for each of its rows.
typedef struct {
  __m256i factors[3][3], offsets[3];
  int diagonal;
} Wide;

AVX2 static inline void spread(const ikran_point_short_matrix *m, Wide *wide) {
  const ikran_point_short_row rows[3] = {m->red, m->green, m->blue};
  for (int c = 0; c < 3; c++) {
    wide->factors[c][0] = _mm256_set1_epi16(rows[c].red);
    wide->factors[c][1] = _mm256_set1_epi16(rows[c].green);
    wide->factors[c][2] = _mm256_set1_epi16(rows[c].blue);
    wide->offsets[c] = _mm256_set1_epi16(rows[c].offset);
  }
  wide->diagonal = !(m->red.green | m->red.blue | m->green.red | m->green.blue | m->blue.red |
                     m->blue.green);
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
    const __m256i *f = m->factors[c];
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
