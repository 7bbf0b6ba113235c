#include <stdlib.h>
#include <string.h>

#include "CIkranKernels.h"
#include "filters.h"

// Sums of sixteen bits vectorise well, and hold every difference.
INLINE uint8_t predicted(const int filter, int16_t left, int16_t up, int16_t corner) {
  switch (filter) {
    case FILTER_NONE: return 0;
    case FILTER_SUB: return (uint8_t)left;
    case FILTER_UP: return (uint8_t)up;
    case FILTER_AVERAGE: return (uint8_t)((left + up) >> 1);
    default: {
      const int16_t a = (int16_t)(up - corner), b = (int16_t)(left - corner);
      const int16_t c = (int16_t)(a + b);
      const int16_t fromLeft = a < 0 ? (int16_t)-a : a, fromUp = b < 0 ? (int16_t)-b : b;
      const int16_t fromCorner = c < 0 ? (int16_t)-c : c;
      const int16_t other = fromUp <= fromCorner ? up : corner;
      return (uint8_t)(fromLeft <= fromUp && fromLeft <= fromCorner ? left : other);
    }
  }
}

// Filters a row, and returns the sum of its bytes' distances from zero.
INLINE uint32_t filtered(const int filter, const uint8_t *restrict row,
                         const uint8_t *restrict above, size_t bytes, size_t pixel,
                         uint8_t *restrict out) {
  uint32_t sum = 0;
  *out++ = (uint8_t)filter;
  for (size_t i = 0; i < pixel && i < bytes; i++) {
    out[i] = (uint8_t)(row[i] - predicted(filter, 0, above[i], 0));
    sum += out[i] < 128 ? out[i] : 256u - out[i];
  }
  for (size_t i = pixel; i < bytes; i++) {
    const uint8_t guess = predicted(filter, row[i - pixel], above[i], above[i - pixel]);
    const uint8_t rest = (uint8_t)(row[i] - guess), negative = (uint8_t)-rest;
    out[i] = rest;
    sum += rest < negative ? rest : negative;
  }
  return sum;
}

INLINE void choose_loop(const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel,
                        uint8_t *out, uint8_t *other) {
  uint32_t least = filtered(FILTER_NONE, row, above, bytes, pixel, out);
  for (int filter = FILTER_SUB; filter <= FILTER_PAETH; filter++) {
    uint32_t sum;
    switch (filter) {
      case FILTER_SUB: sum = filtered(FILTER_SUB, row, above, bytes, pixel, other); break;
      case FILTER_UP: sum = filtered(FILTER_UP, row, above, bytes, pixel, other); break;
      case FILTER_AVERAGE: sum = filtered(FILTER_AVERAGE, row, above, bytes, pixel, other); break;
      default: sum = filtered(FILTER_PAETH, row, above, bytes, pixel, other); break;
    }
    if (sum >= least) continue;
    least = sum;
    memcpy(out, other, bytes + 1);
  }
}

TWICE(choose,
      (const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel, uint8_t *out,
       uint8_t *other),
      (row, above, bytes, pixel, out, other))

void ikran_png_filter(const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel,
                      uint8_t *out, uint8_t *other, bool simd) {
  PICK(simd, choose, row, above, bytes, pixel, out, other);
}
