#include "CIkranPoints.h"

#include <string.h>

#include "../simd.h"

// Whole programs that opaque pixels need no floats for.

static inline uint8_t byte(int32_t sum) {
  const int32_t v = sum >> 12;
  return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void affine_from(size_t x, const int16_t *f, const int32_t *offsets, uint8_t *pixels,
                        size_t width) {
  for (uint8_t *p = pixels + 4 * x; x < width; x++, p += 4) {
    const int32_t b = p[0], g = p[1], r = p[2];
    for (int c = 0; c < 3; c++)
      p[c] = byte(f[3 * c] * b + f[3 * c + 1] * r + f[3 * c + 2] * g + offsets[c]);
  }
}

#if IKRAN_AVX2
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
  affine_from(x, f, offsets, pixels, width);
}
#endif

void ikran_point_affine_row(const int16_t *factors, const int32_t *offsets, uint8_t *pixels,
                            size_t width, bool simd) {
#if IKRAN_AVX2
  if (simd) return affine_avx2(factors, offsets, pixels, width);
#endif
  affine_from(0, factors, offsets, pixels, width);
}

void ikran_point_table_row(const uint32_t *table, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4) {
    uint32_t v;
    memcpy(&v, pixels, 4);
    v = table[v & 255] | table[256 + (v >> 8 & 255)] | table[512 + (v >> 16 & 255)];
    memcpy(pixels, &v, 4);
  }
}
