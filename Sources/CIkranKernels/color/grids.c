#include "CIkranColors.h"

#include "../simd.h"
#include "alpha.h"

// Grids of colours, with tetrahedral interpolation (Kasson, Plouffe and Nin, 1993).

enum { full = 16384 };

/// The four nodes around a place, as distances from the lowest, and their weights.
typedef struct {
  const int16_t *nodes[4];
  int32_t weights[4];
} Tetrahedron;

static inline const ikran_color_place *place_of(const ikran_color_grid *grid, int dimension,
                                                uint32_t value) {
  return grid->places + 256 * dimension + value;
}

/// `steps` are the distances, in numbers, from the lowest node to the second and to the third for each
/// order of the parts.
static inline Tetrahedron find(const ikran_color_grid *grid, const int32_t (*steps)[2],
                               uint32_t pixel) {
  const ikran_color_place *one = place_of(grid, 0, pixel & 255);
  const ikran_color_place *two = place_of(grid, 1, pixel >> 8 & 255);
  const ikran_color_place *three = place_of(grid, 2, pixel >> 16 & 255);
  const int32_t p = one->part, q = two->part, r = three->part;
  const int order = (p >= q) << 2 | (q >= r) << 1 | (p >= r);
  const int32_t pq = p >= q ? p : q, smaller = p >= q ? q : p;
  const int32_t most = pq >= r ? pq : r, least = smaller <= r ? smaller : r;
  const int32_t middle = p + q + r - most - least;
  const int16_t *node = grid->nodes + 4 * ((ptrdiff_t)one->node + two->node + three->node);
  return (Tetrahedron){{node, node + steps[order][0], node + steps[order][1], node + steps[8][0]},
                       {full - most, most - middle, middle - least, least}};
}

/// Fills the steps of `find`.
static void order_steps(const ikran_color_grid *grid, int32_t (*steps)[2]) {
  const int32_t p = 4 * grid->steps[0], q = 4 * grid->steps[1], r = 4 * grid->steps[2];
  for (int order = 0; order < 8; order++) {
    const int pq = order >> 2 & 1, qr = order >> 1 & 1, pr = order & 1;
    const int32_t first = pq && pr ? p : !pq && qr ? q : r;
    const int32_t last = !pq && !pr ? p : pq && !qr ? q : r;
    steps[order][0] = first;
    steps[order][1] = p + q + r - last;
  }
  steps[8][0] = steps[8][1] = p + q + r;
}

static inline int32_t mix(const Tetrahedron *t, int c) {
  int32_t sum = 0;
  for (int i = 0; i < 4; i++) sum += t->nodes[i][c] * t->weights[i];
  return sum;
}

static inline uint8_t byte(int32_t sum) {
  const int32_t v = (sum + (1 << 20)) >> 21;
  return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static inline uint32_t word(const uint8_t *in) {
  uint32_t v;
  memcpy(&v, in, 4);
  return v;
}

static void grid_from(const ikran_color_grid *grid, const int32_t (*steps)[2], uint8_t *pixels,
                      size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4) {
    const Tetrahedron t = find(grid, steps, word(pixels));
    for (int c = 0; c < 3; c++) pixels[c] = byte(mix(&t, c));
  }
}

static void inks_from(const ikran_color_grid *grid, const int32_t (*steps)[2], const uint8_t *inks,
                      uint32_t complement, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4, inks += 4) {
    const uint32_t v = word(inks) ^ complement;
    const ikran_color_place *black = place_of(grid, 3, v >> 24);
    Tetrahedron t = find(grid, steps, v);
    for (int i = 0; i < 4; i++) t.nodes[i] += 4 * (ptrdiff_t)black->node;
    Tetrahedron next = t;
    for (int i = 0; i < 4; i++) next.nodes[i] += 4 * (ptrdiff_t)grid->steps[3];
    for (int c = 0; c < 3; c++)
      pixels[c] = byte((mix(&t, c) >> 14) * (full - black->part) + (mix(&next, c) >> 14) * black->part);
    pixels[3] = 255;
  }
}

#if IKRAN_AVX2
/// Sums of 29 bits. SSE2, which every processor has.
static inline __m128i mix_simd(const Tetrahedron *t) {
  __m128i n[4];
  for (int i = 0; i < 4; i++) n[i] = _mm_loadl_epi64((const __m128i *)t->nodes[i]);
  const __m128i first = _mm_set1_epi32(t->weights[0] | t->weights[1] << 16);
  const __m128i second = _mm_set1_epi32(t->weights[2] | t->weights[3] << 16);
  return _mm_add_epi32(_mm_madd_epi16(_mm_unpacklo_epi16(n[0], n[1]), first),
                       _mm_madd_epi16(_mm_unpacklo_epi16(n[2], n[3]), second));
}

static inline uint32_t bytes(__m128i sums) {
  const __m128i v = _mm_srai_epi32(_mm_add_epi32(sums, _mm_set1_epi32(1 << 20)), 21);
  const __m128i words = _mm_packs_epi32(v, v);
  return (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(words, words));
}

static void grid_simd(const ikran_color_grid *grid, const int32_t (*steps)[2], uint8_t *pixels,
                      size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4) {
    const uint32_t v = word(pixels);
    const Tetrahedron t = find(grid, steps, v);
    const uint32_t out = bytes(mix_simd(&t)) | (v & 0xFF000000);
    memcpy(pixels, &out, 4);
  }
}

static void inks_simd(const ikran_color_grid *grid, const int32_t (*steps)[2], const uint8_t *inks,
                      uint32_t complement, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4, inks += 4) {
    const uint32_t v = word(inks) ^ complement;
    const ikran_color_place *black = place_of(grid, 3, v >> 24);
    Tetrahedron t = find(grid, steps, v);
    for (int i = 0; i < 4; i++) t.nodes[i] += 4 * (ptrdiff_t)black->node;
    const __m128i one = _mm_srai_epi32(mix_simd(&t), 14);
    for (int i = 0; i < 4; i++) t.nodes[i] += 4 * (ptrdiff_t)grid->steps[3];
    const __m128i two = _mm_srai_epi32(mix_simd(&t), 14);
    const __m128i both = _mm_unpacklo_epi16(_mm_packs_epi32(one, one), _mm_packs_epi32(two, two));
    const __m128i parts = _mm_set1_epi32((full - black->part) | black->part << 16);
    const uint32_t out = bytes(_mm_madd_epi16(both, parts)) | 0xFF000000;
    memcpy(pixels, &out, 4);
  }
}
#endif

void ikran_color_grid_row(const ikran_color_grid *grid, uint8_t *pixels, size_t width, bool opaque,
                          bool simd) {
  int32_t steps[9][2];
  order_steps(grid, steps);
  const int32_t(*order)[2] = (const int32_t(*)[2])steps;
#if IKRAN_AVX2
#define RUN(pixels, width)                     \
  if (simd) {                                  \
    grid_simd(grid, order, pixels, width);     \
  } else {                                     \
    grid_from(grid, order, pixels, width);     \
  }
#else
  (void)simd;
#define RUN(pixels, width) grid_from(grid, order, pixels, width)
#endif
  EACH_BLOCK(RUN)
#undef RUN
}

void ikran_color_inks_row(const ikran_color_grid *grid, const uint8_t *inks, uint8_t complement,
                          uint8_t *pixels, size_t width, bool simd) {
  int32_t steps[9][2];
  order_steps(grid, steps);
  const int32_t(*order)[2] = (const int32_t(*)[2])steps;
  const uint32_t all = complement * 0x01010101u;
#if IKRAN_AVX2
  if (simd) return inks_simd(grid, order, inks, all, pixels, width);
#endif
  inks_from(grid, order, inks, all, pixels, width);
}
