#include "filters.h"

#include <string.h>

#ifdef __x86_64__
// A pixel needs the one to its left first, so a row alone waits for each of its pixels in turn.
// Eight rows at once are as quick: each is two pixels behind the row above it, whose pixel
// of two steps ago is the one above. A vector has a pixel of each row, four bytes apart whatever
// their size is. What lies left of a row is zero; what lies right of it reaches no pixel of it.

enum { LAG = 2, STEPS = 4, LEAD = LAG * (WAVE_ROWS - 1) };

/// Four vectors: rows 0 to 3 in the lower halves, and rows 4 to 7 in the upper halves.
typedef struct {
  __m256i rows[4];
} Square;

/// Where the rows are, and which of them have each filter.
typedef struct {
  const uint8_t *in[WAVE_ROWS];
  uint8_t *out[WAVE_ROWS];
  const uint8_t *above;
  __m256i isSub, isUp, isAverage, isPaeth;
  __m256i last, beforeLast, corner;
} Wave;

// Four pixels of four rows to four rows of one pixel each, and back.
INLINE AVX2 Square turned(Square s) {
  const __m256i a = _mm256_unpacklo_epi32(s.rows[0], s.rows[1]);
  const __m256i b = _mm256_unpacklo_epi32(s.rows[2], s.rows[3]);
  const __m256i c = _mm256_unpackhi_epi32(s.rows[0], s.rows[1]);
  const __m256i d = _mm256_unpackhi_epi32(s.rows[2], s.rows[3]);
  return (Square){{_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b),
                   _mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d)}};
}

// The places of the bytes of four pixels, each to four bytes; negative for none.
INLINE AVX2 __m256i spread(const int pixel) {
  switch (pixel) {
    case 1: return _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -1, -1, -1, 1, -1, -1, -1, 2, -1,
                                                             -1, -1, 3, -1, -1, -1));
    case 2: return _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, -1, -1, 2, 3, -1, -1, 4, 5, -1,
                                                             -1, 6, 7, -1, -1));
    default: return _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8,
                                                              -1, 9, 10, 11, -1));
  }
}

// The reverse.
INLINE AVX2 __m256i gathered(const int pixel) {
  switch (pixel) {
    case 1: return _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1,
                                                             -1, -1, -1, -1, -1, -1));
    case 2: return _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1,
                                                             -1, -1, -1, -1, -1));
    default: return _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13,
                                                              14, -1, -1, -1, -1));
  }
}

INLINE AVX2 Square load(const Wave *w, ptrdiff_t offset, const int pixel) {
  Square s;
  for (int r = 0; r < 4; r++) {
    const __m128i low = _mm_loadu_si128((const __m128i *)(w->in[r] + offset));
    const __m128i high = _mm_loadu_si128((const __m128i *)(w->in[r + 4] + offset));
    s.rows[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    if (pixel != 4) s.rows[r] = _mm256_shuffle_epi8(s.rows[r], spread(pixel));
  }
  return turned(s);
}

// Bytes past the four pixels are written again later, or lie between two rows.
INLINE AVX2 void store(const Wave *w, ptrdiff_t offset, Square s, const int pixel) {
  s = turned(s);
  for (int r = 0; r < 4; r++) {
    if (pixel != 4) s.rows[r] = _mm256_shuffle_epi8(s.rows[r], gathered(pixel));
    const __m128i low = _mm256_castsi256_si128(s.rows[r]);
    const __m128i high = _mm256_extracti128_si256(s.rows[r], 1);
    if (pixel > 2) {
      _mm_storeu_si128((__m128i *)(w->out[r] + offset), low);
      _mm_storeu_si128((__m128i *)(w->out[r + 4] + offset), high);
    } else {
      _mm_storel_epi64((__m128i *)(w->out[r] + offset), low);
      _mm_storel_epi64((__m128i *)(w->out[r + 4] + offset), high);
    }
  }
}

INLINE AVX2 __m256i distance(__m256i a, __m256i b) {
  return _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a));
}

// left + up - corner is as far from corner as what left and up exceed it by, less what it exceeds
// them by. Only a sum of two on the same side can saturate, and that is never the least. Of two as
// near, left comes before up, and up before corner.
INLINE AVX2 __m256i paeth(__m256i left, __m256i up, __m256i corner) {
  const __m256i more = _mm256_adds_epu8(_mm256_subs_epu8(left, corner),
                                        _mm256_subs_epu8(up, corner));
  const __m256i less = _mm256_adds_epu8(_mm256_subs_epu8(corner, left),
                                        _mm256_subs_epu8(corner, up));
  const __m256i fromLeft = distance(up, corner), fromUp = distance(left, corner);
  const __m256i fromCorner = distance(more, less);
  const __m256i least = _mm256_min_epu8(fromCorner, _mm256_min_epu8(fromLeft, fromUp));
  const __m256i other = _mm256_blendv_epi8(corner, up, _mm256_cmpeq_epi8(least, fromUp));
  return _mm256_blendv_epi8(other, left, _mm256_cmpeq_epi8(least, fromLeft));
}

// What all filters but Paeth's add. The processor's average rounds up, the filter's down.
INLINE AVX2 __m256i simple(const Wave *w, __m256i left, __m256i up) {
  const __m256i odd = _mm256_and_si256(_mm256_xor_si256(left, up), _mm256_set1_epi8(1));
  const __m256i mean = _mm256_sub_epi8(_mm256_avg_epu8(left, up), odd);
  const __m256i sum = _mm256_or_si256(_mm256_and_si256(left, w->isSub),
                                      _mm256_and_si256(up, w->isUp));
  return _mm256_or_si256(sum, _mm256_and_si256(mean, w->isAverage));
}

// The pixel at `x` of the first row, and those of the others as far behind as they are.
INLINE AVX2 __m256i step(Wave *w, __m256i raw, size_t x, const int pixel, const bool isMixed) {
  int32_t first;
  memcpy(&first, w->above + x * (size_t)pixel, sizeof first);
  const __m256i next = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
  const __m256i shifted = _mm256_permutevar8x32_epi32(w->beforeLast, next);
  const __m256i up =
      _mm256_blend_epi32(shifted, _mm256_castsi128_si256(_mm_cvtsi32_si128(first)), 1);
  __m256i sum = paeth(w->last, up, w->corner);
  if (isMixed) {
    sum = _mm256_or_si256(_mm256_and_si256(sum, w->isPaeth), simple(w, w->last, up));
  }
  w->beforeLast = w->last, w->corner = up;
  return w->last = _mm256_add_epi8(raw, sum);
}

// Rows that have not begun add nothing to nothing.
INLINE AVX2 __m256i begun(__m256i raw, size_t x) {
  const __m256i starts = _mm256_setr_epi32(0, LAG, 2 * LAG, 3 * LAG, 4 * LAG, 5 * LAG, 6 * LAG,
                                           7 * LAG);
  return _mm256_andnot_si256(_mm256_cmpgt_epi32(starts, _mm256_set1_epi32((int32_t)x)), raw);
}

INLINE AVX2 void run(Wave *w, size_t width, const int pixel, const bool isMixed) {
  w->last = w->beforeLast = w->corner = _mm256_setzero_si256();
  for (size_t x = 0; x < width + LEAD; x += STEPS) {
    const ptrdiff_t offset = (ptrdiff_t)x * pixel;
    Square s = load(w, offset, pixel);
    for (int i = 0; i < STEPS; i++) {
      if (x < LEAD) s.rows[i] = begun(s.rows[i], x + (size_t)i);
      s.rows[i] = step(w, s.rows[i], x + (size_t)i, pixel, isMixed);
    }
    store(w, offset, s, pixel);
  }
}

INLINE AVX2 void run_any(Wave *w, size_t width, const int pixel, bool isMixed) {
  if (isMixed) return run(w, width, pixel, true);
  run(w, width, pixel, false);
}

AVX2 void ikran_png_wave(const uint8_t *in, size_t bytes, size_t rows, size_t pixel, uint8_t *out,
                         size_t stride) {
  Wave w = {.above = out};
  int32_t filters[WAVE_ROWS];
  bool isMixed = false;
  for (size_t r = 0; r < WAVE_ROWS; r++) {
    const size_t behind = r * LAG * pixel;
    w.in[r] = in + r * (bytes + 1) + 1 - behind;
    w.out[r] = out + (r + 1) * stride - behind;
    filters[r] = r < rows ? in[r * (bytes + 1)] : FILTER_NONE;
    isMixed |= filters[r] != FILTER_PAETH;
  }
  const __m256i all = _mm256_loadu_si256((const __m256i *)filters);
  w.isSub = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(FILTER_SUB));
  w.isUp = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(FILTER_UP));
  w.isAverage = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(FILTER_AVERAGE));
  w.isPaeth = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(FILTER_PAETH));
  const size_t width = bytes / pixel;
  switch (pixel) {
    case 1: run_any(&w, width, 1, isMixed); break;
    case 2: run_any(&w, width, 2, isMixed); break;
    case 3: run_any(&w, width, 3, isMixed); break;
    default: run_any(&w, width, 4, isMixed); break;
  }
}
#endif
