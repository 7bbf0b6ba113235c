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

/// The rows of lumas around row y, reading those into the ring that are not there yet.
INLINE nearby lumas_near(ikran_pass p, ptrdiff_t y, float *ring) {
  size_t width = (size_t)p.width, stride = 2 * (width + 2);
  for (ptrdiff_t next = y == 0 ? -1 : y + 1; next <= y + 1; next++) {
    float *row = ring + (size_t)((next + 1) % 3) * stride;
    luma_row(p, next, row, row + width + 2);
  }
  return rows_near(ring, stride, y);
}

typedef struct {
  float across, down;
} slope;

/// Sobel's gradient of pixel x of the middle row.
INLINE slope slope_at(nearby near, size_t x, size_t width) {
  size_t plane = x + width + 2;
  const float *own = near.rows[1];
  float alpha = own[plane + 1], straight = own[x + 1] / (alpha > 0 ? alpha : 1);
  return (slope){across(near, x) - straight * across(near, plane),
                 down(near, x) - straight * down(near, plane)};
}

/// Computes the lengths of Sobel's gradient for row y.
INLINE void gradients(ikran_pass p, ptrdiff_t y, float *ring, float *out) {
  size_t width = (size_t)p.width;
  nearby near = lumas_near(p, y, ring);
  for (size_t x = 0; x < width; x++) {
    slope s = slope_at(near, x, width);
    out[x] = sqrtf(s.across * s.across + s.down * s.down);
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

/// How an edge's gradient runs, and later what is known of the pixel.
enum { runs_across, runs_down, runs_falling, runs_rising };
enum { is_none, is_weak, is_strong };

INLINE void canny_loop(ikran_pass p, float *ring, float *strength, uint8_t *runs) {
  size_t width = (size_t)p.width;
  for (ptrdiff_t y = 0; y < p.height; y++, strength += width, runs += width) {
    nearby near = lumas_near(p, y, ring);
    for (size_t x = 0; x < width; x++) {
      slope s = slope_at(near, x, width);
      float ax = fabsf(s.across), ay = fabsf(s.down);
      strength[x] = sqrtf(s.across * s.across + s.down * s.down);
      // The tangent of an eighth of half a turn.
      runs[x] = ay <= .41421356f * ax ? runs_across
          : ax <= .41421356f * ay ? runs_down
          : (s.across > 0) == (s.down > 0) ? runs_falling : runs_rising;
    }
  }
}

TWICE(canny, (ikran_pass p, float *ring, float *strength, uint8_t *runs),
      (p, ring, strength, runs))

INLINE float strength_at(ikran_pass p, const float *strength, ptrdiff_t x, ptrdiff_t y) {
  return x < 0 || y < 0 || x >= p.width || y >= p.height ? 0 : strength[y * p.width + x];
}

/// Whether a gradient is the largest across its edge, of two equal ones the first, and how strong. Without
/// branches: no processor foresees them.
INLINE uint8_t kind_of(float own, float before, float after, float low, float high) {
  const int largest = (own > before) & (own >= after);
  return (uint8_t)((largest & (own >= low)) + (largest & (own >= high)));
}

/// Keeps the largest gradients across each edge.
static void thin(ikran_pass p, const float *strength, float low, float high, uint8_t *kinds) {
  static const int8_t across[] = {1, 0, 1, 1}, down[] = {0, 1, 1, -1};
  ptrdiff_t steps[4];
  for (int i = 0; i < 4; i++) steps[i] = down[i] * p.width + across[i];
  for (ptrdiff_t y = 0; y < p.height; y++, kinds += p.width) {
    const float *row = strength + y * p.width;
    const bool isInner = y > 0 && y < p.height - 1;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      if (isInner && x > 0 && x < p.width - 1) {
        const ptrdiff_t step = steps[kinds[x]];
        kinds[x] = kind_of(row[x], row[x - step], row[x + step], low, high);
      } else {
        const ptrdiff_t dx = across[kinds[x]], dy = down[kinds[x]];
        const float before = strength_at(p, strength, x - dx, y - dy);
        const float after = strength_at(p, strength, x + dx, y + dy);
        kinds[x] = kind_of(row[x], before, after, low, high);
      }
    }
  }
}

/// Makes weak pixels strong that hang together with strong ones. Each pixel is on the stack once.
static void follow(ikran_pass p, uint8_t *kinds, uint32_t *stack) {
  size_t pixels = (size_t)(p.width * p.height), count = 0;
  for (size_t i = 0; i < pixels; i++)
    if (kinds[i] == is_strong) stack[count++] = (uint32_t)i;
  while (count > 0) {
    ptrdiff_t at = stack[--count], y = at / p.width, x = at % p.width;
    for (ptrdiff_t ny = inside(y - 1, p.height); ny <= inside(y + 1, p.height); ny++) {
      for (ptrdiff_t nx = inside(x - 1, p.width); nx <= inside(x + 1, p.width); nx++) {
        ptrdiff_t next = ny * p.width + nx;
        if (kinds[next] != is_weak) continue;
        kinds[next] = is_strong;
        stack[count++] = (uint32_t)next;
      }
    }
  }
}

void ikran_canny(ikran_pass p, float low, float high, void *memory, bool simd) {
  size_t pixels = (size_t)(p.width * p.height);
  float *ring = memory, *strength = ring + 6 * (p.width + 2);
  uint8_t *kinds = (uint8_t *)(strength + pixels);
  PICK(simd, canny, p, ring, strength, kinds);
  thin(p, strength, low, high, kinds);
  // The gradients are not needed any more.
  follow(p, kinds, (uint32_t *)strength);
  for (ptrdiff_t y = 0; y < p.height; y++, kinds += p.width) {
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      uint32_t pixel = kinds[x] == is_strong ? 0xFFFFFFFF : 0xFF000000;
      memcpy(out + x * 4, &pixel, 4);
    }
  }
}
