// Medians of small squares.
#include "../spatial.h"

/// As many bytes of one row, each of which has a median of its own.
typedef uint8_t many __attribute__((vector_size(32)));

/// The most values that are sorted at once.
enum { most_values = 14 };

INLINE void order(many *a, many *b) {
  const many least = __builtin_elementwise_min(*a, *b);
  *b = __builtin_elementwise_max(*a, *b);
  *a = least;
}

/// Moves the least of some values to their beginning and the largest to their end.
INLINE void part_ends(many *values, int count) {
#pragma clang loop unroll(full)
  for (int i = 0; i < count / 2; i++) order(values + i, values + count - 1 - i);
#pragma clang loop unroll(full)
  for (int i = 1; i < (count + 1) / 2; i++) order(values, values + i);
#pragma clang loop unroll(full)
  for (int i = count / 2; i < count - 1; i++) order(values + i, values + count - 1);
}

/// A row with its first and its last pixel repeated at both ends.
INLINE void widen(ikran_pass p, ptrdiff_t y, ptrdiff_t radius, uint8_t *row) {
  const uint8_t *in = p.in + inside(y, p.height) * p.inStride;
  memcpy(row + radius * 4, in, (size_t)p.width * 4);
  for (ptrdiff_t i = 0; i < radius; i++) {
    memcpy(row + i * 4, in, 4);
    memcpy(row + (radius + p.width + i) * 4, in + (p.width - 1) * 4, 4);
  }
}

/// Of a little more than half of the values neither the least nor the largest is the median: both make
/// room for the next one.
INLINE void median_at(const uint8_t *ring, size_t stride, int radius, many *median) {
  const int side = 2 * radius + 1, all = side * side;
  int count = all / 2 + 2, next = 0;
  many values[most_values];
#pragma clang loop unroll(full)
  for (; next < count; next++)
    memcpy(values + next, ring + (size_t)(next / side) * stride + next % side * 4, sizeof(many));
#pragma clang loop unroll(full)
  for (; next < all; next++, count--) {
    part_ends(values, count);
    memcpy(values, ring + (size_t)(next / side) * stride + next % side * 4, sizeof(many));
  }
  part_ends(values, 3);
  *median = values[1];
}

INLINE void median_loop(ikran_pass p, int radius, uint8_t *ring) {
  const ptrdiff_t side = 2 * radius + 1, bytes = p.width * 4;
  const size_t stride = (size_t)bytes + 8 * (size_t)radius + sizeof(many);
  for (ptrdiff_t y = -radius; y < radius; y++)
    widen(p, y, radius, ring + (size_t)((y + radius) % side) * stride);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    // The order of the rows does not matter.
    widen(p, y + radius, radius, ring + (size_t)((y + 2 * radius) % side) * stride);
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t i = 0; i < bytes; i += (ptrdiff_t)sizeof(many)) {
      many median;
      median_at(ring + i, stride, radius, &median);
      const ptrdiff_t rest = bytes - i;
      memcpy(out + i, &median, rest < (ptrdiff_t)sizeof(many) ? (size_t)rest : sizeof(many));
    }
  }
}

INLINE void median3_loop(ikran_pass p, uint8_t *ring) { median_loop(p, 1, ring); }
INLINE void median5_loop(ikran_pass p, uint8_t *ring) { median_loop(p, 2, ring); }

TWICE(median3, (ikran_pass p, uint8_t *ring), (p, ring))
TWICE(median5, (ikran_pass p, uint8_t *ring), (p, ring))

void ikran_small_median(ikran_pass picture, ptrdiff_t radius, void *memory, bool simd) {
  if (radius == 1) {
    PICK(simd, median3, picture, memory);
  } else {
    PICK(simd, median5, picture, memory);
  }
}
