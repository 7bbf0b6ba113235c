#include "CIkranKernels.h"

#include <string.h>

// A tile's source columns and rows stay in the cache while its pixels are turned.
enum { tile = 32 };

static inline void turn(const uint8_t *in, ptrdiff_t stepX, ptrdiff_t stepY, uint8_t *out,
                        size_t outStride, size_t width, size_t height, size_t bytes) {
  for (size_t top = 0; top < height; top += tile)
    for (size_t left = 0; left < width; left += tile) {
      size_t bottom = top + tile < height ? top + tile : height;
      size_t right = left + tile < width ? left + tile : width;
      for (size_t y = top; y < bottom; y++) {
        const uint8_t *from = in + (ptrdiff_t)left * stepX + (ptrdiff_t)y * stepY;
        uint8_t *to = out + y * outStride + left * bytes;
        for (size_t x = left; x < right; x++, from += stepX, to += bytes) memcpy(to, from, bytes);
      }
    }
}

void ikran_turn(const uint8_t *in, ptrdiff_t stepX, ptrdiff_t stepY, uint8_t *out, size_t outStride,
                size_t width, size_t height, size_t bytesPerPixel) {
  switch (bytesPerPixel) {
    case 4: return turn(in, stepX, stepY, out, outStride, width, height, 4);
    case 3: return turn(in, stepX, stepY, out, outStride, width, height, 3);
    case 2: return turn(in, stepX, stepY, out, outStride, width, height, 2);
    default: return turn(in, stepX, stepY, out, outStride, width, height, 1);
  }
}
