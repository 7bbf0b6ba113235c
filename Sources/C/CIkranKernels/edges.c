#include "CIkranKernels.h"

#include <string.h>

#include "simd.h"

static inline uint8_t times(uint32_t value, uint32_t coverage) {
  uint32_t t = value * coverage + 128;
  return (uint8_t)((t + (t >> 8)) >> 8);
}

static void mask_plain(uint8_t *pixels, const uint8_t *coverage, size_t width) {
  for (size_t x = 0; x < width; x++)
    for (int c = 0; c < 4; c++) pixels[4 * x + c] = times(pixels[4 * x + c], coverage[x]);
}

#ifdef __x86_64__
AVX2 static void mask_avx2(uint8_t *pixels, const uint8_t *coverage, size_t width) {
  const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi16(128);
  const __m256i each = _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
                                        5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
  size_t x = 0;
  for (; x + 8 <= width; x += 8) {
    uint64_t eight;
    memcpy(&eight, coverage + x, 8);
    if (eight == UINT64_MAX) continue;
    __m256i v = _mm256_loadu_si256((__m256i *)(pixels + 4 * x));
    __m256i m = _mm256_shuffle_epi8(_mm256_set1_epi64x((long long)eight), each);
    __m256i lo = _mm256_mullo_epi16(_mm256_unpacklo_epi8(v, zero), _mm256_unpacklo_epi8(m, zero));
    __m256i hi = _mm256_mullo_epi16(_mm256_unpackhi_epi8(v, zero), _mm256_unpackhi_epi8(m, zero));
    lo = _mm256_add_epi16(lo, half), hi = _mm256_add_epi16(hi, half);
    lo = _mm256_srli_epi16(_mm256_add_epi16(lo, _mm256_srli_epi16(lo, 8)), 8);
    hi = _mm256_srli_epi16(_mm256_add_epi16(hi, _mm256_srli_epi16(hi, 8)), 8);
    _mm256_storeu_si256((__m256i *)(pixels + 4 * x), _mm256_packus_epi16(lo, hi));
  }
  mask_plain(pixels + 4 * x, coverage + x, width - x);
}
#endif

void ikran_mask_run(uint8_t *pixels, const uint8_t *coverage, size_t width, bool simd) {
  PICK(simd, mask, pixels, coverage, width);
}

void ikran_mask_fill(uint8_t *pixels, uint8_t coverage, size_t width) {
  if (coverage == 0) {
    memset(pixels, 0, 4 * width);
  } else if (coverage != 255) {
    for (size_t i = 0; i < 4 * width; i++) pixels[i] = times(pixels[i], coverage);
  }
}

void ikran_ring_run(uint8_t *pixels, const uint8_t *outer, const uint8_t *inner,
                    const uint8_t *color, size_t width) {
  const uint32_t straight[4] = {color[0], color[1], color[2], 255};
  const uint32_t alpha = color[3], one = 255 * 255;
  for (size_t x = 0; x < width; x++, pixels += 4) {
    if (inner[x] == 255) continue;
    // Inside the ring the picture is blended with the colour; both share a pixel by coverage, so
    // that no seam is visible at either edge.
    uint32_t ring = outer[x] > inner[x] ? (uint32_t)(outer[x] - inner[x]) : 0;
    uint32_t picture = inner[x] * 255u + ring * (255 - alpha), paint = ring * alpha;
    for (int c = 0; c < 4; c++)
      pixels[c] = (uint8_t)((pixels[c] * picture + straight[c] * paint + one / 2) / one);
  }
}

void ikran_paint_run(uint8_t *pixels, const uint8_t *coverage, const uint8_t *without,
                     const uint8_t *color, size_t width) {
  const uint32_t straight[4] = {color[0], color[1], color[2], 255};
  const uint32_t one = 255 * 255;
  for (size_t x = 0; x < width; x++, pixels += 4) {
    const uint32_t hole = without ? without[x] : 0;
    if (coverage[x] <= hole) continue;
    const uint32_t paint = (coverage[x] - hole) * color[3];
    for (int c = 0; c < 4; c++)
      pixels[c] = (uint8_t)((pixels[c] * (one - paint) + straight[c] * paint + one / 2) / one);
  }
}
