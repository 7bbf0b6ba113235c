// Filters that take one of the values around each pixel. A rank keeps premultiplied colours at or
// below alpha, as each colour is at or below its own.
#include "../spatial.h"

INLINE void choose(uint8_t *out, const uint8_t *a, const uint8_t *b, ptrdiff_t bytes, bool largest) {
  if (largest) {
    for (ptrdiff_t i = 0; i < bytes; i++) out[i] = a[i] > b[i] ? a[i] : b[i];
  } else {
    for (ptrdiff_t i = 0; i < bytes; i++) out[i] = a[i] < b[i] ? a[i] : b[i];
  }
}

/// A line of elements: how far apart they are read and written, and how many bytes each has.
typedef struct {
  const uint8_t *in;
  ptrdiff_t inStep;
  uint8_t *out;
  ptrdiff_t outStep, count, bytes;
} element_line;

/// Extremes of 2 · radius + 1 elements, from those of the two halves of blocks as long (van Herk
/// 1992). All is read before anything is written.
static void extremes(element_line line, ptrdiff_t radius, bool largest, uint8_t *memory) {
  ptrdiff_t bytes = line.bytes, length = line.count + 2 * radius, span = 2 * radius + 1;
  uint8_t *before = memory, *after = memory + length * bytes;
  for (ptrdiff_t i = 0; i < length; i++) {
    const uint8_t *own = line.in + inside(i - radius, line.count) * line.inStep;
    uint8_t *to = before + i * bytes;
    if (i % span == 0) {
      memcpy(to, own, (size_t)bytes);
    } else {
      choose(to, to - bytes, own, bytes, largest);
    }
  }
  for (ptrdiff_t i = length - 1; i >= 0; i--) {
    const uint8_t *own = line.in + inside(i - radius, line.count) * line.inStep;
    uint8_t *to = after + i * bytes;
    if (i % span == span - 1 || i == length - 1) {
      memcpy(to, own, (size_t)bytes);
    } else {
      choose(to, to + bytes, own, bytes, largest);
    }
  }
  for (ptrdiff_t i = 0; i < line.count; i++)
    choose(line.out + i * line.outStep, after + i * bytes, before + (i + 2 * radius) * bytes, bytes,
           largest);
}

void ikran_extremes(ikran_pass p, ptrdiff_t radius, bool largest, void *memory) {
  ptrdiff_t across = radius < p.width ? radius : p.width - 1;
  for (ptrdiff_t y = 0; y < p.height; y++) {
    element_line row = {p.in + y * p.inStride, 4, p.out + y * p.outStride, 4, p.width, 4};
    extremes(row, across, largest, memory);
  }
  ptrdiff_t down = radius < p.height ? radius : p.height - 1;
  for (ptrdiff_t x = 0; x < p.width * 4; x += 64) {
    ptrdiff_t rest = p.width * 4 - x, bytes = rest < 64 ? rest : 64;
    element_line columns = {p.out + x, p.outStride, p.out + x, p.outStride, p.height, bytes};
    extremes(columns, down, largest, memory);
  }
}

/// How often each value of a channel is in the square, and how many are below its median.
typedef struct {
  int32_t counts[256];
  int32_t median, below;
} value_counts;

INLINE void count_column(ikran_pass p, ptrdiff_t x, ptrdiff_t y, ptrdiff_t radius,
                         value_counts counts[4], int32_t sign) {
  const uint8_t *column = p.in + inside(x, p.width) * 4;
  for (ptrdiff_t dy = -radius; dy <= radius; dy++) {
    const uint8_t *pixel = column + inside(y + dy, p.height) * p.inStride;
    for (int c = 0; c < 4; c++) {
      counts[c].counts[pixel[c]] += sign;
      counts[c].below += pixel[c] < counts[c].median ? sign : 0;
    }
  }
}

INLINE uint8_t median_of(value_counts *values, int32_t middle) {
  while (values->below > middle) values->below -= values->counts[--values->median];
  while (values->below + values->counts[values->median] <= middle)
    values->below += values->counts[values->median++];
  return (uint8_t)values->median;
}

void ikran_median(ikran_pass p, ptrdiff_t radius) {
  int32_t middle = (int32_t)((2 * radius + 1) * (2 * radius + 1) / 2);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    value_counts counts[4];
    memset(counts, 0, sizeof counts);
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t dx = -radius; dx <= radius; dx++) count_column(p, dx, y, radius, counts, 1);
    for (ptrdiff_t x = 0; x < p.width; x++) {
      for (int c = 0; c < 4; c++) out[x * 4 + c] = median_of(counts + c, middle);
      count_column(p, x - radius, y, radius, counts, -1);
      count_column(p, x + radius + 1, y, radius, counts, 1);
    }
  }
}
