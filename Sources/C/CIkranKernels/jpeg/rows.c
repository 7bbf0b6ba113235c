#include "CIkranKernels.h"

#include <string.h>

#include "../simd.h"

#ifdef __x86_64__
enum { STEP = 16 };
// Copies, and returns which bytes are 255: a bit for each.
INLINE uint64_t copy_step(const uint8_t *from, uint8_t *to) {
  __m128i bytes = _mm_loadu_si128((const __m128i *)from);
  _mm_storeu_si128((__m128i *)to, bytes);
  return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(-1)));
}
INLINE int first_hit(uint64_t hits) { return __builtin_ctzll(hits); }
#else
enum { STEP = 8 };
// Copies, and returns which bytes are 255: the top bit of each, perhaps of later bytes too.
INLINE uint64_t copy_step(const uint8_t *from, uint8_t *to) {
  const uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
  uint64_t eight;
  memcpy(&eight, from, 8), memcpy(to, &eight, 8);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
  eight = __builtin_bswap64(eight);
#endif
  return (~eight - ones) & eight & high;
}
INLINE int first_hit(uint64_t hits) { return __builtin_ctzll(hits) >> 3; }
#endif

size_t ikran_jpeg_unstuff(const uint8_t *in, size_t count, uint8_t *out, size_t room,
                          size_t *consumed) {
  const uint8_t *from = in, *end = in + count;
  uint8_t *to = out, *full = out + room;
  while (from < end && to < full) {
    uint64_t hits = 0;
    while (end - from >= STEP && full - to >= STEP) {
      hits = copy_step(from, to);
      if (hits) break;
      from += STEP, to += STEP;
    }
    if (hits) from += first_hit(hits), to += first_hit(hits);
    if (from >= end || to >= full) break;
    size_t step = 1;
    if (*from == 0xFF) {
      if (end - from < 2 || from[1] != 0) break;
      step = 2;
    }
    *to++ = *from;
    from += step;
  }
  *consumed = (size_t)(from - in);
  return (size_t)(to - out);
}

INLINE uint8_t clamp(int32_t v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

static void color_plain(const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *out,
                        size_t width) {
  for (size_t x = 0; x < width; x++) {
    int32_t y = luma[x], cb = blue[x] - 128, cr = red[x] - 128;
    out[4 * x] = clamp(y + ((116130 * cb + 32768) >> 16));
    out[4 * x + 1] = clamp(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
    out[4 * x + 2] = clamp(y + ((91881 * cr + 32768) >> 16));
    out[4 * x + 3] = 255;
  }
}

// Triangle filters of libjpeg (jdsample.c): a sample is three parts of the nearer and one of the
// farther neighbour, rounded down and up alternately.
INLINE void wide_loop(const uint8_t *in, uint8_t *out, size_t width) {
  out[0] = in[0];
  for (size_t x = 0; x + 1 < width; x++) {
    out[2 * x + 1] = (uint8_t)((3 * in[x] + in[x + 1] + 2) >> 2);
    out[2 * x + 2] = (uint8_t)((3 * in[x + 1] + in[x] + 1) >> 2);
  }
  out[2 * width - 1] = in[width - 1];
}

INLINE void tall_loop(const uint8_t *near, const uint8_t *far, int bias, uint8_t *out,
                      size_t width) {
  for (size_t x = 0; x < width; x++) out[x] = (uint8_t)((3 * near[x] + far[x] + bias) >> 2);
}

INLINE void both_loop(const uint8_t *near, const uint8_t *far, uint16_t *sums, uint8_t *out,
                      size_t width) {
  for (size_t x = 0; x < width; x++) sums[x] = (uint16_t)(3 * near[x] + far[x]);
  out[0] = (uint8_t)((4 * sums[0] + 8) >> 4);
  for (size_t x = 0; x + 1 < width; x++) {
    out[2 * x + 1] = (uint8_t)((3 * sums[x] + sums[x + 1] + 7) >> 4);
    out[2 * x + 2] = (uint8_t)((3 * sums[x + 1] + sums[x] + 8) >> 4);
  }
  out[2 * width - 1] = (uint8_t)((4 * sums[width - 1] + 7) >> 4);
}

#ifdef __x86_64__
// 1.402 = 1 + 0.402, 1.772 = 2 - 0.228, -0.71414 = 0.28586 - 1: the remaining factors fit in 16
// bits, and the result equals the scalar loop's.
AVX2 static void color_avx2(const uint8_t *luma, const uint8_t *blue, const uint8_t *red,
                            uint8_t *out, size_t width) {
  const __m256i middle = _mm256_set1_epi16(128), one = _mm256_set1_epi16(1);
  const __m256i green = _mm256_set1_epi32((int32_t)((uint32_t)(18734 << 16) | (uint16_t)-22554));
  const __m256i half = _mm256_set1_epi32(32768), full = _mm256_set1_epi8(-1);
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    __m256i y = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(luma + x)));
    __m256i cb = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(blue + x)));
    __m256i cr = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(red + x)));
    cb = _mm256_sub_epi16(cb, middle), cr = _mm256_sub_epi16(cr, middle);
    __m256i b = _mm256_mulhi_epi16(_mm256_add_epi16(cb, cb), _mm256_set1_epi16(-14942));
    b = _mm256_srai_epi16(_mm256_add_epi16(b, one), 1);
    b = _mm256_add_epi16(_mm256_add_epi16(b, y), _mm256_add_epi16(cb, cb));
    __m256i r = _mm256_mulhi_epi16(_mm256_add_epi16(cr, cr), _mm256_set1_epi16(26345));
    r = _mm256_srai_epi16(_mm256_add_epi16(r, one), 1);
    r = _mm256_add_epi16(_mm256_add_epi16(r, y), cr);
    __m256i lo = _mm256_madd_epi16(_mm256_unpacklo_epi16(cb, cr), green);
    __m256i hi = _mm256_madd_epi16(_mm256_unpackhi_epi16(cb, cr), green);
    lo = _mm256_srai_epi32(_mm256_add_epi32(lo, half), 16);
    hi = _mm256_srai_epi32(_mm256_add_epi32(hi, half), 16);
    __m256i g = _mm256_sub_epi16(_mm256_add_epi16(_mm256_packs_epi32(lo, hi), y), cr);
    __m256i bg = _mm256_packus_epi16(b, g), rx = _mm256_packus_epi16(r, r);
    bg = _mm256_unpacklo_epi8(bg, _mm256_srli_si256(bg, 8));
    rx = _mm256_unpacklo_epi8(rx, full);
    __m256i p = _mm256_unpacklo_epi16(bg, rx), q = _mm256_unpackhi_epi16(bg, rx);
    _mm256_storeu_si256((__m256i *)(out + 4 * x), _mm256_permute2x128_si256(p, q, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 4 * x + 32), _mm256_permute2x128_si256(p, q, 0x31));
  }
  color_plain(luma + x, blue + x, red + x, out + 4 * x, width - x);
}
#endif

TWICE(wide, (const uint8_t *in, uint8_t *out, size_t width), (in, out, width))
TWICE(tall, (const uint8_t *near, const uint8_t *far, int bias, uint8_t *out, size_t width),
      (near, far, bias, out, width))
TWICE(both,
      (const uint8_t *near, const uint8_t *far, uint16_t *sums, uint8_t *out, size_t width),
      (near, far, sums, out, width))

void ikran_jpeg_color_row(const uint8_t *luma, const uint8_t *blue, const uint8_t *red,
                          uint8_t *out, size_t width, bool simd) {
  PICK(simd, color, luma, blue, red, out, width);
}

void ikran_jpeg_gray_row(const uint8_t *luma, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++) {
    uint32_t pixel = luma[x] * 0x010101u;
    out[4 * x] = (uint8_t)pixel, out[4 * x + 1] = (uint8_t)pixel;
    out[4 * x + 2] = (uint8_t)pixel, out[4 * x + 3] = 255;
  }
}

void ikran_jpeg_widen(const uint8_t *in, uint8_t *out, size_t width, bool simd) {
  PICK(simd, wide, in, out, width);
}

void ikran_jpeg_repeat(const uint8_t *in, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++) out[2 * x] = out[2 * x + 1] = in[x];
}

void ikran_jpeg_heighten(const uint8_t *near, const uint8_t *far, bool below, uint8_t *out,
                         size_t width, bool simd) {
  PICK(simd, tall, near, far, below ? 2 : 1, out, width);
}

void ikran_jpeg_enlarge(const uint8_t *near, const uint8_t *far, uint16_t *sums, uint8_t *out,
                        size_t width, bool simd) {
  PICK(simd, both, near, far, sums, out, width);
}
