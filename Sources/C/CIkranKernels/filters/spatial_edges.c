// Filters of three by three pixels. A neighbour p with alpha a counts as p + (1 - a) · own, so that
// a weighted sum of neighbours is that of the stored pixels plus own times that of the clear parts.
#include "spatial.h"

/// Three rows of floats around a row, in a ring; each has a pixel more on both sides.
typedef struct {
  float *rows[3];
} nearby;

INLINE nearby rows_near(float *ring, size_t stride, ptrdiff_t y) {
  nearby near;
  for (int i = 0; i < 3; i++) near.rows[i] = ring + (size_t)((y + i) % 3) * stride;
  return near;
}

INLINE void widen_row(ikran_pass p, ptrdiff_t y, float *row) {
  const uint8_t *in = p.in + inside(y, p.height) * p.inStride;
  ptrdiff_t values = p.width * 4;
  for (ptrdiff_t i = 0; i < values; i++) row[i + 4] = in[i];
  memcpy(row, row + 4, 16);
  memcpy(row + values + 4, row + values, 16);
}

INLINE void convolve_loop(ikran_pass p, const float *weights, void *memory) {
  ptrdiff_t values = p.width * 4;
  size_t stride = (size_t)values + 8;
  float *ring = memory, *sums = ring + 3 * stride, w[9], full = 0;
  for (int i = 0; i < 9; i++) {
    w[i] = weights[i];
    full += w[i] * 255;
  }
  for (ptrdiff_t y = -1; y <= 0; y++) widen_row(p, y, ring + (size_t)(y + 1) * stride);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    widen_row(p, y + 1, ring + (size_t)((y + 2) % 3) * stride);
    nearby near = rows_near(ring, stride, y);
    const float *a = near.rows[0], *b = near.rows[1], *c = near.rows[2];
    for (ptrdiff_t i = 0; i < values; i++)
      sums[i] = w[0] * a[i] + w[1] * a[i + 4] + w[2] * a[i + 8] + w[3] * b[i] + w[4] * b[i + 4]
          + w[5] * b[i + 8] + w[6] * c[i] + w[7] * c[i + 4] + w[8] * c[i + 8];
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t i = 0; i < values; i += 4) {
      const float *own = b + 4 + i;
      float alpha = own[3], clear = full - sums[i + 3];
      float v[4];
      for (int k = 0; k < 4; k++) v[k] = (sums[i + k] * alpha + own[k] * clear) * (1.f / 255);
      v[3] = alpha;
      for (int k = 0; k < 4; k++) {
        float high = v[k] < alpha ? v[k] : alpha;
        out[i + k] = (uint8_t)(int32_t)((high > 0 ? high : 0) + .5f);
      }
    }
  }
}

/// The luma and the alpha of a row, 0…1, in two planes.
INLINE void luma_row(ikran_pass p, ptrdiff_t y, float *luma, float *alpha) {
  const uint8_t *in = p.in + inside(y, p.height) * p.inStride;
  for (ptrdiff_t x = 0; x < p.width; x++, in += 4) {
    luma[x + 1] = (IKRAN_LUMA(blue) * in[0] + IKRAN_LUMA(green) * in[1] + IKRAN_LUMA(red) * in[2]) * (1.f / 255);
    alpha[x + 1] = (float)in[3] * (1.f / 255);
  }
  luma[0] = luma[1];
  alpha[0] = alpha[1];
  luma[p.width + 1] = luma[p.width];
  alpha[p.width + 1] = alpha[p.width];
}

INLINE float across(nearby n, size_t at) {
  return (n.rows[0][at + 2] + 2 * n.rows[1][at + 2] + n.rows[2][at + 2])
      - (n.rows[0][at] + 2 * n.rows[1][at] + n.rows[2][at]);
}

INLINE float down(nearby n, size_t at) {
  return (n.rows[2][at] + 2 * n.rows[2][at + 1] + n.rows[2][at + 2])
      - (n.rows[0][at] + 2 * n.rows[0][at + 1] + n.rows[0][at + 2]);
}

/// Computes the lengths of Sobel's gradient for row y, reading the next row into the ring.
INLINE void gradients(ikran_pass p, ptrdiff_t y, float *ring, float *out) {
  size_t width = (size_t)p.width, stride = 2 * (width + 2);
  for (ptrdiff_t next = y == 0 ? -1 : y + 1; next <= y + 1; next++) {
    float *row = ring + (size_t)((next + 1) % 3) * stride;
    luma_row(p, next, row, row + width + 2);
  }
  nearby near = rows_near(ring, stride, y);
  const float *own = near.rows[1];
  for (size_t x = 0; x < width; x++) {
    size_t plane = x + width + 2;
    float alpha = own[plane + 1], straight = own[x + 1] / (alpha > 0 ? alpha : 1);
    float gx = across(near, x) - straight * across(near, plane);
    float gy = down(near, x) - straight * down(near, plane);
    out[x] = sqrtf(gx * gx + gy * gy);
  }
}

INLINE void sobel_loop(ikran_pass p, float base, float amount, void *memory) {
  float *ring = memory, *strength = ring + 6 * (p.width + 2);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    gradients(p, y, ring, strength);
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      float alpha = in[x * 4 + 3], gray = base + amount * strength[x];
      gray = gray > 0 ? gray : 0;
      int32_t v = (int32_t)((gray < 1 ? gray : 1) * alpha + .5f);
      uint32_t pixel = (uint32_t)v * 0x10101 + ((uint32_t)in[x * 4 + 3] << 24);
      memcpy(out + x * 4, &pixel, 4);
    }
  }
}

INLINE void toon_loop(ikran_pass p, float levels, float threshold, void *memory) {
  float *ring = memory, *strength = ring + 6 * (p.width + 2);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    gradients(p, y, ring, strength);
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++, in += 4, out += 4) {
      float alpha = in[3], scale = strength[x] < threshold ? alpha / levels : 0;
      float divisor = alpha > 0 ? alpha : 1;
      for (int c = 0; c < 4; c++) {
        float level = (float)(int32_t)((float)in[c] / divisor * levels + .5f);
        float value = level * scale;
        out[c] = (uint8_t)(int32_t)((value < alpha ? value : alpha) + .5f);
      }
      out[3] = in[3];
    }
  }
}

TWICE(convolve, (ikran_pass p, const float *weights, void *memory), (p, weights, memory))
TWICE(sobel, (ikran_pass p, float base, float amount, void *memory), (p, base, amount, memory))
TWICE(toon, (ikran_pass p, float levels, float threshold, void *memory),
      (p, levels, threshold, memory))

void ikran_convolve(ikran_pass picture, const float *weights, void *memory, bool simd) {
  PICK(simd, convolve, picture, weights, memory);
}

void ikran_sobel(ikran_pass picture, float base, float amount, void *memory, bool simd) {
  PICK(simd, sobel, picture, base, amount, memory);
}

void ikran_toon(ikran_pass picture, float levels, float threshold, void *memory, bool simd) {
  PICK(simd, toon, picture, levels, threshold, memory);
}
