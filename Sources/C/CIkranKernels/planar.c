#include "CIkranKernels.h"

#include <string.h>

#include "simd.h"

// Both instances of a loop write the same bytes.
#pragma STDC FP_CONTRACT OFF

typedef const ikran_planar *Planes;

INLINE size_t least(size_t a, size_t b) { return a < b ? a : b; }

/// Adds the columns of some rows; at most 256 rows fit.
INLINE void add_rows(const uint8_t *in, size_t stride, size_t rows, size_t width,
                     uint16_t *restrict sums) {
  for (size_t i = 0; i < width; i++) sums[i] = in[i];
  for (size_t y = 1; y < rows; y++) {
    const uint8_t *restrict row = in + y * stride;
    for (size_t i = 0; i < width; i++) sums[i] = (uint16_t)(sums[i] + row[i]);
  }
}

/// The means of blocks of `block` column sums, the last one possibly narrower.
INLINE void average(const uint16_t *restrict sums, size_t width, size_t rows, size_t block,
                    float *restrict out) {
  const size_t whole = width / block;
  const float scale = 1 / (float)(block * rows);
  for (size_t x = 0; x < whole; x++) {
    uint32_t total = 0;
    for (size_t i = 0; i < block; i++) total += sums[x * block + i];
    out[x] = (float)(int32_t)total * scale;
  }
  if (whole * block == width) return;
  uint32_t total = 0;
  for (size_t i = whole * block; i < width; i++) total += sums[i];
  out[whole] = (float)(int32_t)total / (float)((width - whole * block) * rows);
}

INLINE uint32_t byte(float v) {
  v = v > 0 ? v : 0;
  v = v < 255 ? v : 255;
  return (uint32_t)(int32_t)(v + .5f);
}

/// Luma and chroma to opaque pixels.
INLINE void paint(ikran_planar_colors c, const float *restrict y, const float *restrict u,
                  const float *restrict v, size_t width, uint8_t *restrict out) {
  for (size_t x = 0; x < width; x++) {
    const float luma = c.lumaScale * (y[x] - c.lumaOffset), blue = u[x] - 128, red = v[x] - 128;
    const uint32_t b = byte(luma + c.blueByU * blue);
    const uint32_t g = byte(luma + c.greenByU * blue + c.greenByV * red);
    const uint32_t r = byte(luma + c.redByV * red);
    const uint32_t word = b | g << 8 | r << 16 | 0xFF000000u;
    memcpy(out + 4 * x, &word, 4);
  }
}

INLINE void reduce(Planes p, size_t block, size_t chromaBlock, size_t row, void *memory,
                   uint8_t *out) {
  const size_t top = row * block, rows = least(block, p->height - top);
  const size_t chromaWidth = p->halvesWidth ? (p->width + 1) / 2 : p->width;
  const size_t chromaTop = p->halvesHeight ? top / 2 : top;
  const size_t chromaRows = p->halvesHeight ? (rows + 1) / 2 : rows;
  const size_t count = (p->width + block - 1) / block;
  float *y = memory, *u = y + count, *v = u + count;
  uint16_t *sums = (uint16_t *)(v + count);
  add_rows(p->y + top * p->yStride, p->yStride, rows, p->width, sums);
  average(sums, p->width, rows, block, y);
  add_rows(p->u + chromaTop * p->chromaStride, p->chromaStride, chromaRows, chromaWidth, sums);
  average(sums, chromaWidth, chromaRows, chromaBlock, u);
  add_rows(p->v + chromaTop * p->chromaStride, p->chromaStride, chromaRows, chromaWidth, sums);
  average(sums, chromaWidth, chromaRows, chromaBlock, v);
  paint(p->colors, y, u, v, count, out);
}

INLINE void reduce_loop(Planes p, size_t block, size_t row, void *memory, uint8_t *out) {
  const size_t half = p->halvesWidth ? block / 2 : block;
  // A constant block lets the compiler unroll its sums.
  if (half == block) return reduce(p, block, block, row, memory, out);
  switch (block) {
    case 2: return reduce(p, 2, 1, row, memory, out);
    case 4: return reduce(p, 4, 2, row, memory, out);
    case 8: return reduce(p, 8, 4, row, memory, out);
    default: return reduce(p, block, half, row, memory, out);
  }
}

TWICE(reduce, (Planes p, size_t block, size_t row, void *memory, uint8_t *out),
      (p, block, row, memory, out))

size_t ikran_planar_memory(const ikran_planar *planes, size_t block) {
  return (planes->width + block - 1) / block * 3 * sizeof(float)
      + planes->width * sizeof(uint16_t);
}

void ikran_planar_reduce(const ikran_planar *planes, size_t block, size_t row, void *memory,
                         uint8_t *out, bool simd) {
  PICK(simd, reduce, planes, block, row, memory, out);
}
