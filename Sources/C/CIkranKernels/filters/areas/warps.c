// Filters that move pixels away from a centre or towards it, or turn and stretch the picture.
#include "../spatial.h"

/// How many times as far from the centre the pixel at a distance comes from.
INLINE double reach_of(ikran_warp_shape s, double distance) {
  double nearness = 1 - distance / s.radius, bulged = 1 - nearness * s.amount;
  switch (s.kind) {
    case ikran_warp_bulge: return bulged * bulged;
    case ikran_warp_pinch: return 1 + nearness * s.amount;
    default:
      return distance > 0 ? 1 + s.amount * sin(distance * s.rate + s.phase) / distance : 1;
  }
}

INLINE void warp_loop(ikran_pass p, ikran_warp_shape s) {
  for (ptrdiff_t y = 0; y < p.height; y++) {
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    double down = (double)y - s.y;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      double across = (double)x - s.x, distance = sqrt(across * across + down * down);
      if (s.kind != ikran_warp_ripple && distance >= s.radius) {
        memcpy(out + x * 4, in + x * 4, 4);
        continue;
      }
      double reach = reach_of(s, distance);
      store_mean(bilinear(p, s.x + across * reach, s.y + down * reach), out + x * 4);
    }
  }
}

INLINE void sphere_loop(ikran_pass p, ikran_sphere s) {
  double halfWidth = (double)p.width / 2, halfHeight = (double)p.height / 2;
  double ratio = s.ratio * s.ratio, rim = sqrt(1 - ratio);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    double down = (double)y - s.y;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      double across = (double)x - s.x, distance = sqrt(across * across + down * down);
      float covered = (float)(s.radius + .5 - distance);
      if (covered <= 0) {
        memcpy(out + x * 4, in + x * 4, 4);
        continue;
      }
      double part = distance / s.radius, square = part < 1 ? part * part : 1;
      double height = sqrt(1 - square);
      double bend = (sqrt(1 - ratio * square) - s.ratio * height) / rim / s.radius;
      float light = (float)(1 - (1 - height) * (1 - height) / 2);
      four seen = bilinear(p, halfWidth * (1 - across * bend) - .5,
                           halfHeight * (1 - down * bend) - .5);
      seen *= (four){light, light, light, 1};
      four own = load(in + x * 4);
      store_mean(own + (covered < 1 ? covered : 1) * (seen - own), out + x * 4);
    }
  }
}

/// The pixel at a place, clear outside the picture.
INLINE four within(ikran_pass p, ptrdiff_t x, ptrdiff_t y) {
  if (x < 0 || y < 0 || x >= p.width || y >= p.height) return (four){0, 0, 0, 0};
  return load(p.in + y * p.inStride + x * 4);
}

INLINE void affine_loop(ikran_pass p, ikran_affine m) {
  for (ptrdiff_t y = 0; y < p.height; y++) {
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      double column = m.xx * (double)x + m.xy * (double)y + m.left;
      double row = m.yx * (double)x + m.yy * (double)y + m.top;
      if (!(column > -1 && row > -1 && column < (double)p.width && row < (double)p.height)) {
        memset(out + x * 4, 0, 4);
        continue;
      }
      // Above -1: the whole part of one more is rounded down.
      ptrdiff_t left = (ptrdiff_t)(column + 1) - 1, top = (ptrdiff_t)(row + 1) - 1;
      float fx = (float)(column - (double)left), fy = (float)(row - (double)top);
      four a = within(p, left, top), b = within(p, left, top + 1);
      a += fx * (within(p, left + 1, top) - a);
      b += fx * (within(p, left + 1, top + 1) - b);
      store_mean(a + fy * (b - a), out + x * 4);
    }
  }
}

TWICE(warp, (ikran_pass p, ikran_warp_shape s), (p, s))
TWICE(sphere, (ikran_pass p, ikran_sphere s), (p, s))
TWICE(affine, (ikran_pass p, ikran_affine m), (p, m))

void ikran_warp(ikran_pass picture, ikran_warp_shape shape, bool simd) {
  PICK(simd, warp, picture, shape);
}

void ikran_glass_sphere(ikran_pass picture, ikran_sphere sphere, bool simd) {
  PICK(simd, sphere, picture, sphere);
}

void ikran_transform(ikran_pass picture, ikran_affine matrix, bool simd) {
  PICK(simd, affine, picture, matrix);
}
