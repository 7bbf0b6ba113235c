#include "filters.h"

#include <stdlib.h>
#include <string.h>

#include "CIkranKernels.h"

// The one of left, up and their common neighbour that is nearest to left + up - corner; of two as
// near, the one that is named first.
INLINE uint8_t paeth(int left, int up, int corner) {
  const int a = abs(up - corner), b = abs(left - corner), c = abs(left + up - 2 * corner);
  return (uint8_t)(a <= b && a <= c ? left : b <= c ? up : corner);
}

INLINE void sub(const uint8_t *in, size_t bytes, size_t pixel, uint8_t *out) {
  for (size_t i = 0; i < bytes; i++) out[i] = (uint8_t)(in[i] + (i < pixel ? 0 : out[i - pixel]));
}

INLINE void up(const uint8_t *in, size_t bytes, const uint8_t *above, uint8_t *restrict out) {
  for (size_t i = 0; i < bytes; i++) out[i] = (uint8_t)(in[i] + above[i]);
}

INLINE void average(const uint8_t *in, size_t bytes, size_t pixel, const uint8_t *above,
                    uint8_t *out) {
  for (size_t i = 0; i < bytes; i++) {
    const int left = i < pixel ? 0 : out[i - pixel];
    out[i] = (uint8_t)(in[i] + (left + above[i]) / 2);
  }
}

INLINE void nearest(const uint8_t *in, size_t bytes, size_t pixel, const uint8_t *above,
                    uint8_t *out) {
  for (size_t i = 0; i < pixel && i < bytes; i++) out[i] = (uint8_t)(in[i] + above[i]);
  for (size_t i = pixel; i < bytes; i++)
    out[i] = (uint8_t)(in[i] + paeth(out[i - pixel], above[i], above[i - pixel]));
}

// A constant number of bytes per pixel lets the compiler keep the pixel on the left in registers.
INLINE void unfilter(const uint8_t *in, size_t bytes, size_t pixel, const uint8_t *above,
                     uint8_t *out) {
  switch (in[0]) {
    case FILTER_NONE: memcpy(out, in + 1, bytes); break;
    case FILTER_SUB: sub(in + 1, bytes, pixel, out); break;
    case FILTER_UP: up(in + 1, bytes, above, out); break;
    case FILTER_AVERAGE: average(in + 1, bytes, pixel, above, out); break;
    default: nearest(in + 1, bytes, pixel, above, out); break;
  }
}

static void row_plain(const uint8_t *in, size_t bytes, size_t pixel, const uint8_t *above,
                      uint8_t *out) {
  switch (pixel) {
    case 1: unfilter(in, bytes, 1, above, out); break;
    case 2: unfilter(in, bytes, 2, above, out); break;
    case 3: unfilter(in, bytes, 3, above, out); break;
    case 4: unfilter(in, bytes, 4, above, out); break;
    case 6: unfilter(in, bytes, 6, above, out); break;
    default: unfilter(in, bytes, 8, above, out); break;
  }
}

static void unfilter_plain(const uint8_t *in, size_t bytes, size_t rows, size_t pixel, uint8_t *out,
                           size_t stride) {
  for (; rows > 0; rows--, in += bytes + 1, out += stride)
    row_plain(in, bytes, pixel, out, out + stride);
}

#ifdef __x86_64__
AVX2 static void up_avx2(const uint8_t *in, size_t bytes, const uint8_t *above,
                         uint8_t *restrict out) {
  up(in, bytes, above, out);
}

// Each byte is the sum of all at its place in the pixels up to it: sums within a vector in steps
// that double, plus the last pixel of the vector before.
INLINE AVX2 void sub_avx2(const uint8_t *in, size_t bytes, const int pixel, uint8_t *out) {
  const __m128i last =
      pixel == 4 ? _mm_setr_epi8(12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15)
                 : _mm_setr_epi8(12, 13, 14, 12, 13, 14, 12, 13, 14, 12, 13, 14, 12, 13, 14, 12);
  __m128i carry = _mm_setzero_si128();
  // Three bytes per pixel: the sixteenth byte is written again by the next step.
  for (size_t i = 0; i < bytes; i += pixel == 4 ? 16 : 15) {
    __m128i sum = _mm_loadu_si128((const __m128i *)(in + i));
    if (pixel == 4) {
      sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 4));
      sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 8));
    } else {
      sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 3));
      sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 6));
      sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 12));
    }
    sum = _mm_add_epi8(sum, carry);
    _mm_storeu_si128((__m128i *)(out + i), sum);
    carry = _mm_shuffle_epi8(sum, last);
  }
}

AVX2 static void row_avx2(const uint8_t *in, size_t bytes, size_t pixel, const uint8_t *above,
                          uint8_t *out) {
  if (in[0] == FILTER_UP) return up_avx2(in + 1, bytes, above, out);
  if (in[0] == FILTER_SUB && pixel == 3) return sub_avx2(in + 1, bytes, 3, out);
  if (in[0] == FILTER_SUB && pixel == 4) return sub_avx2(in + 1, bytes, 4, out);
  row_plain(in, bytes, pixel, above, out);
}

// Whether the rows take longer one by one than in a wavefront, which costs about as much as two
// averaged rows whatever the filters are.
static bool is_slow(const uint8_t *in, size_t bytes, size_t rows) {
  int cost = 0;
  for (size_t y = 0; y < rows; y++) {
    const uint8_t filter = in[y * (bytes + 1)];
    cost += filter == FILTER_PAETH ? 2 : filter == FILTER_AVERAGE;
  }
  return cost >= 2;
}

AVX2 static void unfilter_avx2(const uint8_t *in, size_t bytes, size_t rows, size_t pixel,
                               uint8_t *out, size_t stride) {
  const bool fits = pixel <= 4 && bytes >= WAVE_WIDTH * pixel;
  while (rows > 0) {
    const size_t count = rows < WAVE_ROWS ? rows : WAVE_ROWS;
    if (fits && is_slow(in, bytes, count)) {
      ikran_png_wave(in, bytes, count, pixel, out, stride);
    } else {
      for (size_t i = 0; i < count; i++)
        row_avx2(in + i * (bytes + 1), bytes, pixel, out + i * stride, out + (i + 1) * stride);
    }
    rows -= count, in += count * (bytes + 1), out += count * stride;
  }
}
#endif

bool ikran_png_unfilter(const uint8_t *in, size_t bytes, size_t rows, size_t pixel, uint8_t *out,
                        size_t stride, bool simd) {
  for (size_t y = 0; y < rows; y++) {
    if (in[y * (bytes + 1)] > FILTER_PAETH) return false;
  }
  PICK(simd, unfilter, in, bytes, rows, pixel, out, stride);
  return true;
}
