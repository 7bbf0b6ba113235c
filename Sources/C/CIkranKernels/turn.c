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

// A pixel of the picture, or a clear one outside of it.
static inline const uint8_t *pixel_at(const uint8_t *in, size_t stride, int64_t width,
                                      int64_t height, int64_t x, int64_t y) {
  static const uint8_t clear[4];
  return x < 0 || y < 0 || x >= width || y >= height ? clear : in + (size_t)y * stride + 4 * x;
}

void ikran_sample_line(const uint8_t *in, size_t stride, size_t width, size_t height, int64_t x,
                       int64_t y, int64_t stepX, int64_t stepY, uint8_t *out, size_t count) {
  const int64_t across = (int64_t)width, down = (int64_t)height;
  for (size_t i = 0; i < count; i++, x += stepX, y += stepY, out += 4) {
    // Weights have 11 bits: four products of two of them and a byte fit in 32.
    const int64_t column = x >> 32, row = y >> 32;
    const uint32_t right = (uint32_t)x >> 21, below = (uint32_t)y >> 21;
    if (column < -1 || row < -1 || column >= across || row >= down) {
      memset(out, 0, 4);
      continue;
    }
    const uint8_t *a, *b, *c, *d;
    if (column >= 0 && row >= 0 && column < across - 1 && row < down - 1) {
      a = in + (size_t)row * stride + 4 * column, b = a + 4, c = a + stride, d = c + 4;
    } else {
      a = pixel_at(in, stride, across, down, column, row);
      b = pixel_at(in, stride, across, down, column + 1, row);
      c = pixel_at(in, stride, across, down, column, row + 1);
      d = pixel_at(in, stride, across, down, column + 1, row + 1);
    }
    for (int k = 0; k < 4; k++) {
      const uint32_t top = a[k] * (2048 - right) + b[k] * right;
      const uint32_t bottom = c[k] * (2048 - right) + d[k] * right;
      out[k] = (uint8_t)((top * (2048 - below) + bottom * below + (1 << 21)) >> 22);
    }
  }
}
