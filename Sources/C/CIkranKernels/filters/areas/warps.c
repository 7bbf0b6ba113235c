// Filters that move pixels away from a centre or towards it.
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

TWICE(warp, (ikran_pass p, ikran_warp_shape s), (p, s))

void ikran_warp(ikran_pass picture, ikran_warp_shape shape, bool simd) {
  PICK(simd, warp, picture, shape);
}
