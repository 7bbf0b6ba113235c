// Filters of three by three pixels.
#include "spatial.h"

/// A pixel and its eight neighbours, from top left, row by row; outside, the nearest inside.
typedef struct {
  const uint8_t *pixels[9];
  /// The pixel's straight colour, 0…1.
  float color[3];
  uint8_t *out;
} place;

INLINE float luma(float blue, float green, float red) {
  return .0721f * blue + .7154f * green + .2125f * red;
}

/// Finds the neighbours; a clear pixel is copied and needs no more.
INLINE bool visit(ikran_pass p, ptrdiff_t x, ptrdiff_t y, place *at) {
  at->out = p.out + y * p.outStride + x * 4;
  const uint8_t *own = p.in + y * p.inStride + x * 4;
  if (own[3] == 0) {
    memset(at->out, 0, 4);
    return false;
  }
  ptrdiff_t left = x > 0 ? -4 : 0, right = x + 1 < p.width ? 4 : 0;
  const uint8_t *above = own - (y > 0 ? p.inStride : 0);
  const uint8_t *below = own + (y + 1 < p.height ? p.inStride : 0);
  const uint8_t *pixels[9] = {above + left, above,        above + right, own + left,   own,
                              own + right,  below + left, below,         below + right};
  memcpy(at->pixels, pixels, sizeof pixels);
  for (int c = 0; c < 3; c++) at->color[c] = (float)own[c] / (float)own[3];
  return true;
}

INLINE void store_straight(const place *at, const float color[3]) {
  uint8_t alpha = at->pixels[4][3];
  for (int c = 0; c < 3; c++) at->out[c] = to_byte(color[c] * (float)alpha, (float)alpha);
  at->out[3] = alpha;
}

/// The length of Sobel's gradient of the luma.
INLINE float gradient(const place *at) {
  float own = luma(at->color[0], at->color[1], at->color[2]), l[9];
  for (int i = 0; i < 9; i++) {
    const uint8_t *n = at->pixels[i];
    l[i] = luma(n[0], n[1], n[2]) * (1.f / 255) + (float)(255 - n[3]) * (1.f / 255) * own;
  }
  float across = (l[2] + 2 * l[5] + l[8]) - (l[0] + 2 * l[3] + l[6]);
  float down = (l[6] + 2 * l[7] + l[8]) - (l[0] + 2 * l[1] + l[2]);
  return sqrtf(across * across + down * down);
}

LOOP void convolve_loop(ikran_pass p, const float *weights) {
  for (ptrdiff_t y = 0; y < p.height; y++)
    for (ptrdiff_t x = 0; x < p.width; x++) {
      place at;
      if (!visit(p, x, y, &at)) continue;
      float sum[3] = {0, 0, 0};
      for (int i = 0; i < 9; i++) {
        const uint8_t *n = at.pixels[i];
        float rest = (float)(255 - n[3]) * (1.f / 255);
        for (int c = 0; c < 3; c++)
          sum[c] += weights[i] * ((float)n[c] * (1.f / 255) + rest * at.color[c]);
      }
      store_straight(&at, sum);
    }
}

LOOP void sobel_loop(ikran_pass p, float base, float amount) {
  for (ptrdiff_t y = 0; y < p.height; y++)
    for (ptrdiff_t x = 0; x < p.width; x++) {
      place at;
      if (!visit(p, x, y, &at)) continue;
      float gray = base + amount * gradient(&at), color[3] = {gray, gray, gray};
      store_straight(&at, color);
    }
}

LOOP void toon_loop(ikran_pass p, float levels, float threshold) {
  for (ptrdiff_t y = 0; y < p.height; y++)
    for (ptrdiff_t x = 0; x < p.width; x++) {
      place at;
      if (!visit(p, x, y, &at)) continue;
      bool isEdge = gradient(&at) >= threshold;
      float color[3];
      for (int c = 0; c < 3; c++)
        color[c] = isEdge ? 0 : (float)(int32_t)(at.color[c] * levels + .5f) / levels;
      store_straight(&at, color);
    }
}

TWICE(convolve, (ikran_pass p, const float *weights), (p, weights))
TWICE(sobel, (ikran_pass p, float base, float amount), (p, base, amount))
TWICE(toon, (ikran_pass p, float levels, float threshold), (p, levels, threshold))

void ikran_convolve(ikran_pass picture, const float *weights, bool simd) {
  PICK(simd, convolve)(picture, weights);
}

void ikran_sobel(ikran_pass picture, float base, float amount, bool simd) {
  PICK(simd, sobel)(picture, base, amount);
}

void ikran_toon(ikran_pass picture, float levels, float threshold, bool simd) {
  PICK(simd, toon)(picture, levels, threshold);
}
