// Filters that smooth and keep edges. Colours are straight, weighted by alpha; alpha stays.
#include "spatial.h"

// e to the power of -x for x from 0 to 80, within 1/20000 of the result.
INLINE float decay(float x) {
  float power = (x > 80 ? 80 : x) * -1.44269504f;
  int32_t whole = (int32_t)(power - 1);
  float part = power - (float)whole - .5f;
  // 2 to the power of part, part from -½ to ½, without the root of ½ that `whole` leaves.
  float bits = 1.41421356f
      * (1 + part * (.69314718f + part * (.24022651f + part * (.05550411f + part * .00961813f))));
  int32_t scale = (whole + 127) << 23;
  float two;
  memcpy(&two, &scale, 4);
  return bits * two;
}

enum { chunk = 16 };

/// A row of straight colours (0…1) and alpha (0…1), each in a plane, edges repeated.
typedef struct {
  float *planes[4];
} plane_row;

INLINE plane_row plane_at(float *memory, ptrdiff_t stride, ptrdiff_t rows, ptrdiff_t y) {
  float *start = memory + y % rows * stride * 4;
  plane_row row = {{start, start + stride, start + 2 * stride, start + 3 * stride}};
  return row;
}

INLINE void fill_planes(ikran_pass p, ptrdiff_t y, ptrdiff_t radius, ptrdiff_t stride,
                        plane_row row) {
  const uint8_t *in = p.in + inside(y, p.height) * p.inStride;
  for (ptrdiff_t i = 0; i < stride; i++) {
    const uint8_t *pixel = in + inside(i - radius, p.width) * 4;
    float scale = pixel[3] ? 1 / (float)pixel[3] : 0;
    for (int c = 0; c < 3; c++) row.planes[c][i] = (float)pixel[c] * scale;
    row.planes[3][i] = (float)pixel[3] * (1.f / 255);
  }
}

INLINE void bilateral_chunk(plane_row own, const float *memory, ptrdiff_t stride, ptrdiff_t y,
                            ptrdiff_t x, ptrdiff_t radius, const float *near, float color,
                            float sums[4][chunk]) {
  const float *b = own.planes[0] + x + radius, *g = own.planes[1] + x + radius;
  const float *r = own.planes[2] + x + radius;
  memset(sums, 0, sizeof(float) * 4 * chunk);
  for (ptrdiff_t dy = -radius; dy <= radius; dy++) {
    plane_row row = plane_at((float *)memory, stride, 2 * radius + 1, y + dy + radius);
    float far = near[dy < 0 ? -dy : dy];
    for (ptrdiff_t dx = 0; dx <= 2 * radius; dx++) {
      float weight = far + near[dx < radius ? radius - dx : dx - radius];
      const float *nb = row.planes[0] + x + dx, *ng = row.planes[1] + x + dx;
      const float *nr = row.planes[2] + x + dx, *na = row.planes[3] + x + dx;
      for (int k = 0; k < chunk; k++) {
        float db = nb[k] - b[k], dg = ng[k] - g[k], dr = nr[k] - r[k];
        float w = na[k] * decay(weight + color * (db * db + dg * dg + dr * dr));
        sums[0][k] += w * nb[k];
        sums[1][k] += w * ng[k];
        sums[2][k] += w * nr[k];
        sums[3][k] += w;
      }
    }
  }
}

INLINE void bilateral_loop(ikran_pass p, ptrdiff_t radius, double spatial, double color,
                           void *memory) {
  ptrdiff_t stride = p.width + 2 * radius + chunk, rows = 2 * radius + 1;
  float *near = memory, *planes = near + radius + 1;
  for (ptrdiff_t d = 0; d <= radius; d++) near[d] = (float)((double)(d * d) * spatial);
  for (ptrdiff_t y = -radius; y < radius; y++)
    fill_planes(p, y, radius, stride, plane_at(planes, stride, rows, y + radius));
  for (ptrdiff_t y = 0; y < p.height; y++) {
    ptrdiff_t next = y + radius;
    fill_planes(p, next, radius, stride, plane_at(planes, stride, rows, next + radius));
    plane_row own = plane_at(planes, stride, rows, next);
    uint8_t *out = p.out + y * p.outStride;
    const uint8_t *in = p.in + y * p.inStride;
    for (ptrdiff_t x = 0; x < p.width; x += chunk) {
      float sums[4][chunk];
      bilateral_chunk(own, planes, stride, y, x, radius, near, (float)color, sums);
      for (ptrdiff_t k = 0; k < chunk && x + k < p.width; k++) {
        uint8_t alpha = in[(x + k) * 4 + 3], *pixel = out + (x + k) * 4;
        float scale = alpha ? (float)alpha / sums[3][k] : 0;
        for (int c = 0; c < 3; c++) pixel[c] = to_byte(sums[c][k] * scale, (float)alpha);
        pixel[3] = alpha;
      }
    }
  }
}

/// Sums of a column or a square: blue, green, red, alpha, and 256 · colour² / alpha.
enum { moments = 5 };

INLINE void add_moments(int32_t *sums, const uint8_t *pixel, int32_t sign) {
  float squares = 0;
  for (int c = 0; c < 3; c++) {
    // A colour beyond its alpha would let the sums overflow.
    int32_t colour = pixel[c] < pixel[3] ? pixel[c] : pixel[3];
    squares += (float)colour * (float)colour;
    sums[c] += sign * colour;
  }
  sums[3] += sign * pixel[3];
  sums[4] += pixel[3] ? sign * (int32_t)(squares * 256 / (float)pixel[3] + .5f) : 0;
}

/// Mean colours 0…1 and their variance, or a variance that is never least for clear squares.
INLINE void measure(const int32_t *sums, float out[4]) {
  float scale = sums[3] ? 1 / (float)sums[3] : 0, squares = 0;
  for (int c = 0; c < 3; c++) {
    out[c] = (float)sums[c] * scale;
    squares += out[c] * out[c];
  }
  out[3] = sums[3] ? (float)sums[4] * (1.f / 256) * scale - squares : 1e9f;
}

/// Measures the squares whose top left pixels lie in one row, from -radius on.
INLINE void measure_row(ikran_pass p, const int32_t *columns, ptrdiff_t radius, float *out) {
  int32_t sums[moments] = {0};
  for (ptrdiff_t i = 0; i <= radius; i++)
    for (int m = 0; m < moments; m++) sums[m] += columns[m];
  for (ptrdiff_t x = -radius; x < p.width; x++, out += 4) {
    measure(sums, out);
    const int32_t *leaving = columns + inside(x, p.width) * moments;
    const int32_t *next = columns + inside(x + radius + 1, p.width) * moments;
    for (int m = 0; m < moments; m++) sums[m] += next[m] - leaving[m];
  }
}

INLINE void add_moment_row(ikran_pass p, int32_t *columns, ptrdiff_t y, int32_t sign) {
  const uint8_t *in = p.in + inside(y, p.height) * p.inStride;
  for (ptrdiff_t x = 0; x < p.width; x++) add_moments(columns + x * moments, in + x * 4, sign);
}

INLINE void kuwahara_loop(ikran_pass p, ptrdiff_t radius, void *memory) {
  ptrdiff_t stride = (p.width + radius) * 4, rows = radius + 1;
  float *ring = memory;
  int32_t *columns = (int32_t *)(ring + stride * rows);
  memset(columns, 0, (size_t)p.width * moments * 4);
  for (ptrdiff_t y = -radius; y <= 0; y++) add_moment_row(p, columns, y, 1);
  for (ptrdiff_t top = -radius; top < p.height; top++) {
    float *low = ring + (top + radius) % rows * stride;
    measure_row(p, columns, radius, low);
    add_moment_row(p, columns, top, -1);
    add_moment_row(p, columns, top + radius + 1, 1);
    if (top < 0) continue;
    const float *high = ring + top % rows * stride;
    const uint8_t *in = p.in + top * p.inStride;
    uint8_t *out = p.out + top * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      const float *squares[4] = {high + x * 4, high + (x + radius) * 4, low + x * 4,
                                 low + (x + radius) * 4};
      const float *best = squares[0];
      for (int i = 1; i < 4; i++) best = squares[i][3] < best[3] ? squares[i] : best;
      uint8_t alpha = in[x * 4 + 3];
      for (int c = 0; c < 3; c++) out[x * 4 + c] = to_byte(best[c] * (float)alpha, (float)alpha);
      out[x * 4 + 3] = alpha;
    }
  }
}

/// The brightness of a pixel, rounded down to one of `levels`.
INLINE uint8_t level_of(const uint8_t *pixel, int levels) {
  int32_t light =
      ikran_luma_blue * pixel[0] + ikran_luma_green * pixel[1] + ikran_luma_red * pixel[2];
  int64_t level = pixel[3] ? (int64_t)light * levels / (10000 * pixel[3]) : 0;
  return (uint8_t)(level < levels ? level : levels - 1);
}

/// Adds the `radius` · 2 + 1 pixels of a column around row y to the sums of their levels.
INLINE void add_column(ikran_pass p, const uint8_t *map, ptrdiff_t x, ptrdiff_t y,
                       ptrdiff_t radius, int32_t (*bins)[4], int32_t sign) {
  x = inside(x, p.width);
  for (ptrdiff_t dy = -radius; dy <= radius; dy++) {
    ptrdiff_t row = inside(y + dy, p.height);
    const uint8_t *pixel = p.in + row * p.inStride + x * 4;
    int32_t *bin = bins[map[row * p.width + x]];
    for (int c = 0; c < 4; c++) bin[c] += sign * pixel[c];
  }
}

INLINE void oil_loop(ikran_pass p, ptrdiff_t radius, int levels, double intensity, void *memory) {
  uint8_t *map = memory;
  float mixed = (float)intensity;
  for (ptrdiff_t y = 0; y < p.height; y++)
    for (ptrdiff_t x = 0; x < p.width; x++)
      map[y * p.width + x] = level_of(p.in + y * p.inStride + x * 4, levels);
  for (ptrdiff_t y = 0; y < p.height; y++) {
    int32_t bins[256][4];
    memset(bins, 0, sizeof bins[0] * (size_t)levels);
    for (ptrdiff_t dx = -radius; dx <= radius; dx++) add_column(p, map, dx, y, radius, bins, 1);
    const uint8_t *in = p.in + y * p.inStride;
    uint8_t *out = p.out + y * p.outStride;
    for (ptrdiff_t x = 0; x < p.width; x++) {
      int best = 0;
      int32_t most = bins[0][3];
      for (int i = 1; i < levels; i++) {
        best = bins[i][3] > most ? i : best;
        most = bins[i][3] > most ? bins[i][3] : most;
      }
      uint8_t alpha = in[x * 4 + 3];
      float scale = alpha ? (float)alpha / (float)bins[best][3] : 0;
      for (int c = 0; c < 3; c++) {
        float own = in[x * 4 + c], mean = (float)bins[best][c] * scale;
        out[x * 4 + c] = to_byte(own + mixed * (mean - own), (float)alpha);
      }
      out[x * 4 + 3] = alpha;
      add_column(p, map, x - radius, y, radius, bins, -1);
      add_column(p, map, x + radius + 1, y, radius, bins, 1);
    }
  }
}

TWICE(bilateral,
      (ikran_pass p, ptrdiff_t radius, double spatial, double color, void *memory),
      (p, radius, spatial, color, memory))
TWICE(kuwahara, (ikran_pass p, ptrdiff_t radius, void *memory), (p, radius, memory))
TWICE(oil, (ikran_pass p, ptrdiff_t radius, int levels, double intensity, void *memory),
      (p, radius, levels, intensity, memory))

void ikran_bilateral(ikran_pass picture, ptrdiff_t radius, double spatial, double color,
                     void *memory, bool simd) {
  PICK(simd, bilateral, picture, radius, spatial, color, memory);
}

void ikran_kuwahara(ikran_pass picture, ptrdiff_t radius, void *memory, bool simd) {
  PICK(simd, kuwahara, picture, radius, memory);
}

void ikran_oil(ikran_pass picture, ptrdiff_t radius, int levels, double intensity, void *memory,
               bool simd) {
  PICK(simd, oil, picture, radius, levels, intensity, memory);
}
