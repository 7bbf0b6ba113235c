#include <string.h>

#include "CIkranKernels.h"
#include "filters.h"

INLINE void look_up(const uint8_t *in, const size_t depth, const uint8_t *table, size_t width,
                    uint8_t *out) {
  const unsigned mask = (1u << depth) - 1;
  for (size_t x = 0; x < width; x++, out += 4) {
    const size_t bit = x * depth;
    const unsigned index = in[bit / 8] >> (8 - depth - bit % 8) & mask;
    memcpy(out, table + (size_t)4 * index, 4);
  }
}

void ikran_png_look_up(const uint8_t *in, size_t depth, const uint8_t *table, size_t width,
                       uint8_t *out) {
  switch (depth) {
    case 1: return look_up(in, 1, table, width, out);
    case 2: return look_up(in, 2, table, width, out);
    case 4: return look_up(in, 4, table, width, out);
    default: return look_up(in, 8, table, width, out);
  }
}

INLINE unsigned sample(const uint8_t *in, size_t index, const size_t bytes) {
  return bytes == 1 ? in[index] : (unsigned)in[2 * index] << 8 | in[2 * index + 1];
}

// 16 bits to the nearest of 8; it is the whole value that is compared with a clear colour.
INLINE uint8_t reduced(unsigned value, const size_t bytes) {
  return (uint8_t)(bytes == 1 ? value : (value * 255 + 32895) >> 16);
}

INLINE void expand(const uint8_t *in, const size_t channels, const size_t bytes,
                   const uint16_t *clear, size_t width, uint8_t *out) {
  const bool isColor = channels > 2;
  const size_t alpha = channels % 2 == 0 ? channels - 1 : 0;
  for (size_t x = 0; x < width; x++, in += channels * bytes, out += 4) {
    const unsigned red = sample(in, 0, bytes);
    const unsigned green = isColor ? sample(in, 1, bytes) : red;
    const unsigned blue = isColor ? sample(in, 2, bytes) : red;
    out[0] = reduced(blue, bytes), out[1] = reduced(green, bytes), out[2] = reduced(red, bytes);
    out[3] = alpha ? reduced(sample(in, alpha, bytes), bytes) : 255;
    if (clear && red == clear[0] && green == clear[1] && blue == clear[2]) out[3] = 0;
  }
}

static void rgb_plain(const uint8_t *in, size_t width, uint8_t *out) {
  expand(in, 3, 1, NULL, width, out);
}

static void rgba_plain(const uint8_t *in, size_t width, uint8_t *out) {
  expand(in, 4, 1, NULL, width, out);
}

#ifdef __x86_64__
AVX2 static void rgb_avx2(const uint8_t *in, size_t width, uint8_t *out) {
  const __m256i order = _mm256_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1,
                                         2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
  const __m256i opaque = _mm256_set1_epi32((int32_t)0xFF000000u);
  size_t x = 0;
  // The upper half reads four bytes more than it needs.
  for (; x + 10 <= width; x += 8) {
    const __m128i low = _mm_loadu_si128((const __m128i *)(in + 3 * x));
    const __m128i high = _mm_loadu_si128((const __m128i *)(in + 3 * x + 12));
    __m256i pixels = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    pixels = _mm256_or_si256(_mm256_shuffle_epi8(pixels, order), opaque);
    _mm256_storeu_si256((__m256i *)(out + 4 * x), pixels);
  }
  rgb_plain(in + 3 * x, width - x, out + 4 * x);
}

AVX2 static void rgba_avx2(const uint8_t *in, size_t width, uint8_t *out) {
  const __m256i order = _mm256_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15,
                                         2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
  size_t x = 0;
  for (; x + 8 <= width; x += 8) {
    const __m256i pixels = _mm256_loadu_si256((const __m256i *)(in + 4 * x));
    _mm256_storeu_si256((__m256i *)(out + 4 * x), _mm256_shuffle_epi8(pixels, order));
  }
  rgba_plain(in + 4 * x, width - x, out + 4 * x);
}
#endif

void ikran_png_expand(const uint8_t *in, size_t channels, size_t depth, const uint16_t *clear,
                      size_t width, uint8_t *out, bool simd) {
  switch (channels * 16 + depth) {
    case 1 * 16 + 16: return expand(in, 1, 2, clear, width, out);
    case 2 * 16 + 8: return expand(in, 2, 1, NULL, width, out);
    case 2 * 16 + 16: return expand(in, 2, 2, NULL, width, out);
    case 3 * 16 + 8:
      if (clear) return expand(in, 3, 1, clear, width, out);
      return PICK(simd, rgb, in, width, out);
    case 3 * 16 + 16: return expand(in, 3, 2, clear, width, out);
    case 4 * 16 + 8: return PICK(simd, rgba, in, width, out);
    default: return expand(in, 4, 2, NULL, width, out);
  }
}
