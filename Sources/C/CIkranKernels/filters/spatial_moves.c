// Filters that move pixels.
#include "spatial.h"

void ikran_pick(ikran_pass p, const int32_t *columns, const int32_t *rows) {
  for (ptrdiff_t y = 0; y < p.height; y++) {
    uint8_t *out = p.out + y * p.outStride;
    if (y > 0 && rows[y] == rows[y - 1]) {
      memcpy(out, out - p.outStride, (size_t)p.width * 4);
      continue;
    }
    const uint8_t *in = p.in + rows[y] * p.inStride;
    for (ptrdiff_t x = 0; x < p.width; x++) memcpy(out + x * 4, in + columns[x] * 4, 4);
  }
}

INLINE void move_loop(ikran_pass p, const double *columns, const double *rows, float weight) {
  for (ptrdiff_t y = 0; y < p.height; y++) {
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    ptrdiff_t top = (ptrdiff_t)rows[y];
    float fy = (float)(rows[y] - (double)top);
    const uint8_t *above = p.in + top * p.inStride;
    const uint8_t *below = above + (top + 1 < p.height ? p.inStride : 0);
    for (ptrdiff_t x = 0; x < p.width; x++) {
      ptrdiff_t left = (ptrdiff_t)columns[x];
      float fx = (float)(columns[x] - (double)left);
      const uint8_t *a = above + left * 4, *b = below + left * 4;
      ptrdiff_t next = left + 1 < p.width ? 4 : 0;
      four own = load(in + x * 4), mean = mean_of(a, b, next, fx, fy);
      store_mean(own + weight * (mean - own), out + x * 4);
    }
  }
}

INLINE void swirl_loop(ikran_pass p, double radius, double angle) {
  double middleX = (double)(p.width - 1) / 2, middleY = (double)(p.height - 1) / 2;
  for (ptrdiff_t y = 0; y < p.height; y++) {
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    double down = (double)y - middleY;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      double across = (double)x - middleX;
      double square = across * across + down * down;
      if (square >= radius * radius) {
        memcpy(out + x * 4, in + x * 4, 4);
        continue;
      }
      double percent = 1 - sqrt(square) / radius;
      float turn = (float)(percent * percent * angle);
      double s = sinf(turn), c = cosf(turn);
      store_mean(bilinear(p, middleX + c * across - s * down, middleY + s * across + c * down),
                 out + x * 4);
    }
  }
}

INLINE void halftone_loop(ikran_pass p, double cell) {
  for (ptrdiff_t y = 0; y < p.height; y++) {
    double middleY = (floor(((double)y + .5) / cell) + .5) * cell;
    float down = (float)((double)y + .5 - middleY);
    const uint8_t *in = p.in + y * p.inStride;
    const uint8_t *sampled = p.in + inside((ptrdiff_t)middleY, p.height) * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      double middleX = (floor(((double)x + .5) / cell) + .5) * cell;
      float across = (float)((double)x + .5 - middleX);
      const uint8_t *s = sampled + inside((ptrdiff_t)middleX, p.width) * 4;
      float luma = IKRAN_LUMA(blue) * s[0] + IKRAN_LUMA(green) * s[1] + IKRAN_LUMA(red) * s[2];
      float light = (luma + (float)(255 - s[3])) / 255;
      float radius = (1 - light) * (float)cell * .5f;
      radius = radius < 0 ? 0 : radius;
      float covered = radius + .5f - sqrtf(across * across + down * down);
      covered = covered < 0 ? 0 : covered > 1 ? 1 : covered;
      // A dot narrower than a pixel is paler instead.
      covered *= radius < .5f ? 2 * radius : 1;
      uint8_t alpha = in[x * 4 + 3], gray = to_byte((1 - covered) * (float)alpha, (float)alpha);
      for (int c = 0; c < 3; c++) out[x * 4 + c] = gray;
      out[x * 4 + 3] = alpha;
    }
  }
}

/// A channel of the pixel at a place in a row, drawn over that of `own`.
INLINE float shifted(const uint8_t *row, ptrdiff_t width, double x, int channel,
                     const uint8_t *own) {
  double right = (double)(width - 1);
  x = x < 0 ? 0 : x > right ? right : x;
  ptrdiff_t left = (ptrdiff_t)x, next = left + 1 < width ? 4 : 0;
  float part = (float)(x - (double)left);
  const uint8_t *a = row + left * 4;
  float color = (float)a[channel] + part * (float)(a[next + channel] - a[channel]);
  float alpha = (float)a[3] + part * (float)(a[next + 3] - a[3]);
  return (color * (float)own[3] + (float)own[channel] * (255 - alpha)) / 255;
}

INLINE void channels_loop(ikran_pass p, const double *red, const double *blue) {
  for (ptrdiff_t y = 0; y < p.height; y++) {
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      const uint8_t *own = in + x * 4;
      float redest = shifted(in, p.width, (double)x + red[y], 2, own);
      float bluest = shifted(in, p.width, (double)x + blue[y], 0, own);
      four v = {bluest, own[1], redest, own[3]};
      store_mean(v, out + x * 4);
    }
  }
}

TWICE(move, (ikran_pass p, const double *columns, const double *rows, float weight),
      (p, columns, rows, weight))
TWICE(swirl, (ikran_pass p, double radius, double angle), (p, radius, angle))
TWICE(halftone, (ikran_pass p, double cell), (p, cell))
TWICE(channels, (ikran_pass p, const double *red, const double *blue), (p, red, blue))

void ikran_move(ikran_pass picture, const double *columns, const double *rows, float weight,
                bool simd) {
  PICK(simd, move, picture, columns, rows, weight);
}

void ikran_swirl(ikran_pass picture, double radius, double angle, bool simd) {
  PICK(simd, swirl, picture, radius, angle);
}

void ikran_halftone(ikran_pass picture, double cell, bool simd) {
  PICK(simd, halftone, picture, cell);
}

void ikran_shift_channels(ikran_pass picture, const double *red, const double *blue,
                          bool simd) {
  PICK(simd, channels, picture, red, blue);
}
