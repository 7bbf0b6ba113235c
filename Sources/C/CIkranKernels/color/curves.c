#include "CIkranColors.h"

#include "../simd.h"
#include "alpha.h"

// Curves, one or with a matrix between them.

static inline uint32_t level(int32_t sum) {
  const int32_t v = sum >> IKRAN_COLOR_SHIFT;
  return v < 0 ? 0 : v < IKRAN_COLOR_LEVELS ? (uint32_t)v : IKRAN_COLOR_LEVELS - 1;
}

static void matrix_plain(const int32_t *light, const uint8_t *levels, uint8_t *pixels,
                         size_t width) {
  for (uint8_t *p = pixels; p < pixels + 4 * width; p += 4) {
    const int32_t *b = light + 4 * p[0], *g = light + 1024 + 4 * p[1], *r = light + 2048 + 4 * p[2];
    for (int c = 0; c < 3; c++) p[c] = levels[level(b[c] + g[c] + r[c])];
  }
}

#ifdef __x86_64__
#define LOAD(v, shift, channel)                                                \
  _mm_loadu_si128((const __m128i *)(light + 1024 * (channel) + ((v) >> (shift) & 255) * 4))

/// The light of a pixel.
AVX2 static inline __m128i sum_of(const int32_t *light, uint32_t v) {
  return _mm_add_epi32(_mm_add_epi32(LOAD(v, 0, 0), LOAD(v, 8, 1)), LOAD(v, 16, 2));
}

static inline uint32_t bytes_of(const uint8_t *levels, uint64_t v) {
  return (uint32_t)levels[v & 0xFFFF] | (uint32_t)levels[v >> 16 & 0xFFFF] << 8 |
         (uint32_t)levels[v >> 32 & 0xFFFF] << 16;
}

AVX2 static void matrix_avx2(const int32_t *light, const uint8_t *levels, uint8_t *pixels,
                             size_t width) {
  const __m128i zero = _mm_setzero_si128(), top = _mm_set1_epi16(IKRAN_COLOR_LEVELS - 1);
  size_t x = 0;
  for (; x + 2 <= width; x += 2) {
    uint64_t v;
    memcpy(&v, pixels + 4 * x, 8);
    const __m128i one = _mm_srai_epi32(sum_of(light, (uint32_t)v), IKRAN_COLOR_SHIFT);
    const __m128i two = _mm_srai_epi32(sum_of(light, (uint32_t)(v >> 32)), IKRAN_COLOR_SHIFT);
    __m128i both = _mm_packs_epi32(one, two);
    both = _mm_min_epi16(_mm_max_epi16(both, zero), top);
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(both);
    const uint64_t high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both));
    v = (v & 0xFF000000FF000000) | bytes_of(levels, low) | (uint64_t)bytes_of(levels, high) << 32;
    memcpy(pixels + 4 * x, &v, 8);
  }
  matrix_plain(light, levels, pixels + 4 * x, width - x);
}
#endif

void ikran_color_matrix_row(const int32_t *light, const uint8_t *levels, uint8_t *pixels,
                            size_t width, bool opaque, bool simd) {
#define RUN(pixels, width) PICK(simd, matrix, light, levels, pixels, width)
  EACH_BLOCK(RUN)
#undef RUN
}

static void gray(const uint32_t *colors, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4) {
    const uint32_t v = colors[pixels[1]];
    for (int c = 0; c < 3; c++) pixels[c] = (uint8_t)(v >> 8 * c);
  }
}

void ikran_color_gray_row(const uint32_t *colors, uint8_t *pixels, size_t width, bool opaque,
                          bool simd) {
#define RUN(pixels, width) gray(colors, pixels, width)
  EACH_BLOCK(RUN)
#undef RUN
}
