#include "CIkranKernels.h"

#include <string.h>

#include "simd.h"

enum { bgra, bgrx, bgr, bgr555, gray };
typedef struct {
  uint8_t b, g, r, a;
} Pixel;

static inline uint8_t times(uint32_t value, uint32_t alpha) {
  uint32_t t = value * alpha + 128;
  return (uint8_t)((t + (t >> 8)) >> 8);
}

static inline Pixel load(const uint8_t *in, int from) {
  switch (from) {
    case bgra: return (Pixel){in[0], in[1], in[2], in[3]};
    case bgrx:
    case bgr: return (Pixel){in[0], in[1], in[2], 255};
    case bgr555: {
      uint32_t w = in[0] | (uint32_t)in[1] << 8, b = w & 31, g = w >> 5 & 31, r = w >> 10 & 31;
      return (Pixel){(uint8_t)(b << 3 | b >> 2), (uint8_t)(g << 3 | g >> 2),
                     (uint8_t)(r << 3 | r >> 2), 255};
    }
    default: return (Pixel){in[0], in[0], in[0], 255};
  }
}

static inline uint32_t five(uint32_t v) { return (v * 249 + 1014) >> 11; }

static inline void store(uint8_t *out, Pixel p, int to) {
  switch (to) {
    case bgra:
    case bgrx:
      out[3] = to == bgra ? p.a : 255;
      // fall through
    case bgr:
      out[0] = p.b, out[1] = p.g, out[2] = p.r;
      break;
    case bgr555: {
      uint32_t w = five(p.b) | five(p.g) << 5 | five(p.r) << 10;
      out[0] = (uint8_t)w, out[1] = (uint8_t)(w >> 8);
      break;
    }
    // BT.601 luma; the weights sum to 65536, so grays do not change.
    default: out[0] = (uint8_t)((p.r * 19595u + p.g * 38470u + p.b * 7471u + 32768u) >> 16);
  }
}

static inline size_t width_of(int format) {
  return format < bgr ? 4 : format == bgr ? 3 : format == bgr555 ? 2 : 1;
}

static inline void convert(const uint8_t *restrict in, int from, uint8_t *restrict out, int to,
                           size_t width) {
  for (size_t x = 0; x < width; x++, in += width_of(from), out += width_of(to))
    store(out, load(in, from), to);
}

// Constant formats on both sides let the compiler generate one tight loop per pair.
#define TO(from)                                                  \
  switch (to) {                                                   \
    case bgra: return convert(in, from, out, bgra, width);        \
    case bgrx: return convert(in, from, out, bgrx, width);        \
    case bgr: return convert(in, from, out, bgr, width);          \
    case bgr555: return convert(in, from, out, bgr555, width);    \
    default: return convert(in, from, out, gray, width);          \
  }

void ikran_convert_row(const uint8_t *in, uint8_t from, uint8_t *out, uint8_t to, size_t width) {
  switch (from) {
    case bgra: TO(bgra)
    case bgrx: TO(bgrx)
    case bgr: TO(bgr)
    case bgr555: TO(bgr555)
    default: TO(gray)
  }
}

static void expand_rgb_plain(const uint8_t *in, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++, in += 3, out += 4) {
    out[0] = in[2], out[1] = in[1], out[2] = in[0], out[3] = 255;
  }
}

#ifdef __x86_64__
AVX2 static void expand_rgb_avx2(const uint8_t *in, uint8_t *out, size_t width) {
  const __m256i order = _mm256_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1,
                                         2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
  const __m256i opaque = _mm256_set1_epi32((int)0xFF000000);
  size_t x = 0;
  // The second load reads four bytes beyond its four pixels: two pixels.
  for (; x + 10 <= width; x += 8) {
    const uint8_t *from = in + 3 * x;
    __m256i v = _mm256_loadu2_m128i((const __m128i *)(from + 12), (const __m128i *)from);
    v = _mm256_or_si256(_mm256_shuffle_epi8(v, order), opaque);
    _mm256_storeu_si256((__m256i *)(out + 4 * x), v);
  }
  expand_rgb_plain(in + 3 * x, out + 4 * x, width - x);
}
#endif

void ikran_expand_rgb(const uint8_t *in, uint8_t *out, size_t width, bool simd) {
  PICK(simd, expand_rgb, in, out, width);
}

static void premultiply_plain(uint8_t *pixels, size_t width) {
  for (uint8_t *p = pixels; p < pixels + 4 * width; p += 4) {
    for (int c = 0; c < 3; c++) p[c] = times(p[c], p[3]);
  }
}

#ifdef __x86_64__
AVX2 static void premultiply_avx2(uint8_t *pixels, size_t width) {
  const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi16(128);
  const __m256i alphas = _mm256_setr_epi8(6, 7, 6, 7, 6, 7, -1, -1, 14, 15, 14, 15, 14, 15, -1, -1,
                                          6, 7, 6, 7, 6, 7, -1, -1, 14, 15, 14, 15, 14, 15, -1, -1);
  const __m256i keep = _mm256_set1_epi64x((long long)255 << 48);
  size_t x = 0;
  for (; x + 8 <= width; x += 8) {
    __m256i v = _mm256_loadu_si256((__m256i *)(pixels + 4 * x)), half8[2];
    half8[0] = _mm256_unpacklo_epi8(v, zero), half8[1] = _mm256_unpackhi_epi8(v, zero);
    for (int i = 0; i < 2; i++) {
      __m256i a = _mm256_or_si256(_mm256_shuffle_epi8(half8[i], alphas), keep);
      __m256i t = _mm256_add_epi16(_mm256_mullo_epi16(half8[i], a), half);
      half8[i] = _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
    }
    _mm256_storeu_si256((__m256i *)(pixels + 4 * x), _mm256_packus_epi16(half8[0], half8[1]));
  }
  premultiply_plain(pixels + 4 * x, width - x);
}
#endif

void ikran_premultiply(uint8_t *pixels, size_t width, bool simd) {
  PICK(simd, premultiply, pixels, width);
}

// Both products are rounded together: a blend is as exact as eight bits can be.
static void blend_plain(const uint8_t *over, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, over += 4, pixels += 4) {
    const uint32_t alpha = over[3];
    for (int c = 0; c < 4; c++) {
      const uint32_t color = c == 3 ? 255 : over[c];
      const uint32_t t = color * alpha + pixels[c] * (255 - alpha) + 128;
      pixels[c] = (uint8_t)((t + (t >> 8)) >> 8);
    }
  }
}

#ifdef __x86_64__
AVX2 static void blend_avx2(const uint8_t *over, uint8_t *pixels, size_t width) {
  const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi16(128);
  const __m256i full = _mm256_set1_epi16(255);
  const __m256i keep = _mm256_set1_epi64x((long long)255 << 48);
  const __m256i alphas = _mm256_setr_epi8(6, 7, 6, 7, 6, 7, 6, 7, 14, 15, 14, 15, 14, 15, 14, 15,
                                          6, 7, 6, 7, 6, 7, 6, 7, 14, 15, 14, 15, 14, 15, 14, 15);
  size_t x = 0;
  for (; x + 8 <= width; x += 8) {
    const __m256i o = _mm256_loadu_si256((const __m256i *)(over + 4 * x));
    const __m256i v = _mm256_loadu_si256((const __m256i *)(pixels + 4 * x));
    __m256i sums[2] = {_mm256_unpacklo_epi8(v, zero), _mm256_unpackhi_epi8(v, zero)};
    const __m256i overs[2] = {_mm256_unpacklo_epi8(o, zero), _mm256_unpackhi_epi8(o, zero)};
    for (int i = 0; i < 2; i++) {
      const __m256i alpha = _mm256_shuffle_epi8(overs[i], alphas);
      const __m256i color = _mm256_or_si256(overs[i], keep);
      const __m256i below = _mm256_mullo_epi16(sums[i], _mm256_sub_epi16(full, alpha));
      const __m256i above = _mm256_add_epi16(_mm256_mullo_epi16(color, alpha), half);
      const __m256i t = _mm256_add_epi16(above, below);
      sums[i] = _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
    }
    _mm256_storeu_si256((__m256i *)(pixels + 4 * x), _mm256_packus_epi16(sums[0], sums[1]));
  }
  blend_plain(over + 4 * x, pixels + 4 * x, width - x);
}
#endif

void ikran_blend_over(const uint8_t *over, uint8_t *pixels, size_t width, bool simd) {
  PICK(simd, blend, over, pixels, width);
}

void ikran_draw_over(const uint8_t *over, uint8_t *pixels, size_t width) {
  // Plain 16-bit sums, which vectorise well.
  for (size_t i = 0; i < width * 4; i++) {
    const uint16_t rest = (uint16_t)(255 - over[i | 3]);
    const uint16_t t = (uint16_t)(pixels[i] * rest + 128);
    const uint16_t sum = (uint16_t)(over[i] + ((t + (t >> 8)) >> 8));
    pixels[i] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}

INLINE void fade_over_loop(const uint8_t *restrict over, uint8_t *restrict pixels, size_t width,
                           uint32_t weight) {
  // A word for a pixel, whose channels are shifted: loops over bytes take four times as long.
  for (size_t x = 0; x < width; x++) {
    uint32_t above, below, mixed = 0;
    memcpy(&above, over + 4 * x, 4);
    memcpy(&below, pixels + 4 * x, 4);
    // 256 for an opaque pixel: nothing of what is below it is left where all of it is seen.
    const uint32_t alpha = above >> 24, rest = 65536 - weight * (alpha + (alpha >> 7));
    for (int shift = 0; shift < 32; shift += 8) {
      const uint32_t one = above >> shift & 255, other = below >> shift & 255;
      const uint32_t sum = (one * (weight << 8) + other * rest + 32768) >> 16;
      // A colour above its alpha, as no picture of ours has it, is a bright one.
      mixed |= (sum > 255 ? 255 : sum) << shift;
    }
    memcpy(pixels + 4 * x, &mixed, 4);
  }
}

TWICE(fade_over, (const uint8_t *over, uint8_t *pixels, size_t width, uint32_t weight),
      (over, pixels, width, weight))

void ikran_fade_over(const uint8_t *over, uint8_t *pixels, size_t width, uint32_t weight,
                     bool simd) {
  PICK(simd, fade_over, over, pixels, width, weight);
}

void ikran_straighten(const uint8_t *in, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++, in += 4, out += 4) {
    uint32_t a = in[3];
    for (int c = 0; c < 3; c++) {
      uint32_t v = a == 255 ? in[c] : a == 0 ? 0 : (in[c] * 255u + a / 2) / a;
      out[2 - c] = (uint8_t)(v > 255 ? 255 : v);
    }
    out[3] = (uint8_t)a;
  }
}

void ikran_mix(const uint8_t *first, const uint8_t *second, uint8_t *out, size_t bytes,
               uint16_t weight) {
  // Sums of 8-bit values times 256 at most fill 16 bits, so plain loops vectorise well.
  const uint16_t other = (uint16_t)(256 - weight);
  for (size_t i = 0; i < bytes; i++) {
    uint16_t sum = (uint16_t)(first[i] * other + second[i] * weight + 128);
    out[i] = (uint8_t)(sum >> 8);
  }
}
