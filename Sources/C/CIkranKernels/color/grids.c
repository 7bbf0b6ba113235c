#include "CIkranColors.h"

#include "../simd.h"
#include "alpha.h"

// Grids of colours, with tetrahedral interpolation: of the eight nodes around a colour, the four that
// lie on the way from the lowest to the highest, the dimension with the largest part first.

enum { full = 16384, batch = 8 };

/// Where one colour lies. Distances are numbers of 16 bits.
typedef struct {
  int32_t node, second, third;
  /// Two weights each, the first in the lower half.
  int32_t weights[2];
} Place;

/// Where eight colours lie.
typedef struct {
  _Alignas(32) int32_t node[batch], second[batch], third[batch], weights[2][batch];
} Places;

/// A grid, and the distances to the second node and the third for each order of the parts.
typedef struct {
  const int16_t *nodes;
  const uint32_t *places;
  int32_t last, black;
  _Alignas(32) int32_t second[8], third[8];
} Grid;

static Grid prepare(const ikran_color_grid *grid) {
  Grid own = {.nodes = grid->nodes, .places = grid->places, .black = 4 * grid->steps[3]};
  const int32_t p = 4 * grid->steps[0], q = 4 * grid->steps[1], r = 4 * grid->steps[2];
  own.last = p + q + r;
  for (int order = 0; order < 8; order++) {
    const int pq = order >> 2 & 1, qr = order >> 1 & 1, pr = order & 1;
    own.second[order] = pq && pr ? p : !pq && qr ? q : r;
    own.third[order] = own.last - (!pq && !pr ? p : pq && !qr ? q : r);
  }
  return own;
}

static inline uint32_t word(const uint8_t *in) {
  uint32_t v;
  memcpy(&v, in, 4);
  return v;
}

static inline Place find(const Grid *grid, uint32_t pixel) {
  const uint32_t one = grid->places[pixel & 255], two = grid->places[256 + (pixel >> 8 & 255)];
  const uint32_t three = grid->places[512 + (pixel >> 16 & 255)];
  const int32_t p = one & 32767, q = two & 32767, r = three & 32767;
  const int order = (p >= q) << 2 | (q >= r) << 1 | (p >= r);
  const int32_t pq = p >= q ? p : q, smaller = p >= q ? q : p;
  const int32_t most = pq >= r ? pq : r, least = smaller <= r ? smaller : r;
  const int32_t middle = p + q + r - most - least;
  return (Place){(int32_t)((one >> 15) + (two >> 15) + (three >> 15)) * 4,
                 grid->second[order],
                 grid->third[order],
                 {(full - most) | (most - middle) << 16, (middle - least) | least << 16}};
}

/// Sums of 29 bits.
static inline int32_t mix(const Grid *grid, const int16_t *node, const Place *at, int c) {
  return node[c] * (at->weights[0] & 65535) + node[at->second + c] * (at->weights[0] >> 16) +
         node[at->third + c] * (at->weights[1] & 65535) +
         node[grid->last + c] * (at->weights[1] >> 16);
}

static inline uint8_t byte(int32_t sum) {
  const int32_t v = (sum + (1 << 20)) >> 21;
  return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void grid_plain(const Grid *grid, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4) {
    const Place at = find(grid, word(pixels));
    for (int c = 0; c < 3; c++) pixels[c] = byte(mix(grid, grid->nodes + at.node, &at, c));
  }
}

static void inks_plain(const Grid *grid, const uint8_t *inks, uint32_t complement, uint8_t *pixels,
                       size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 4, inks += 4) {
    const uint32_t v = word(inks) ^ complement, black = grid->places[768 + (v >> 24)];
    const int32_t part = black & 32767;
    const Place at = find(grid, v);
    const int16_t *node = grid->nodes + at.node + 4 * (black >> 15);
    for (int c = 0; c < 3; c++) {
      const int32_t one = mix(grid, node, &at, c) >> 14;
      const int32_t two = mix(grid, node + grid->black, &at, c) >> 14;
      pixels[c] = byte(one * (full - part) + two * part);
    }
    pixels[3] = 255;
  }
}

#ifdef __x86_64__
AVX2 static inline __m256i place_of(const Grid *grid, int dimension, __m256i pixels) {
  const __m256i low = _mm256_set1_epi32(255);
  const __m256i bytes = _mm256_and_si256(_mm256_srli_epi32(pixels, 8 * dimension), low);
  return _mm256_i32gather_epi32((const int *)grid->places + 256 * dimension, bytes, 4);
}

AVX2 static inline void find_eight(const Grid *grid, __m256i pixels, Places *at) {
  const __m256i parts = _mm256_set1_epi32(32767), top = _mm256_set1_epi32(full);
  const __m256i one = place_of(grid, 0, pixels), two = place_of(grid, 1, pixels);
  const __m256i three = place_of(grid, 2, pixels);
  const __m256i p = _mm256_and_si256(one, parts), q = _mm256_and_si256(two, parts);
  const __m256i r = _mm256_and_si256(three, parts);
  // Comparisons are -1 or 0.
  const __m256i qp = _mm256_cmpgt_epi32(q, p), rq = _mm256_cmpgt_epi32(r, q);
  const __m256i rp = _mm256_cmpgt_epi32(r, p);
  const __m256i sum4 = _mm256_add_epi32(_mm256_slli_epi32(qp, 2), _mm256_slli_epi32(rq, 1));
  const __m256i order = _mm256_add_epi32(_mm256_set1_epi32(7), _mm256_add_epi32(sum4, rp));
  const __m256i most = _mm256_max_epi32(_mm256_max_epi32(p, q), r);
  const __m256i least = _mm256_min_epi32(_mm256_min_epi32(p, q), r);
  const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(p, q), r);
  const __m256i middle = _mm256_sub_epi32(sum, _mm256_add_epi32(most, least));
  const __m256i nodes = _mm256_add_epi32(
    _mm256_add_epi32(_mm256_srli_epi32(one, 15), _mm256_srli_epi32(two, 15)),
    _mm256_srli_epi32(three, 15));
  const __m256i seconds = _mm256_load_si256((const __m256i *)grid->second);
  const __m256i thirds = _mm256_load_si256((const __m256i *)grid->third);
  _mm256_store_si256((__m256i *)at->node, _mm256_slli_epi32(nodes, 2));
  _mm256_store_si256((__m256i *)at->second, _mm256_permutevar8x32_epi32(seconds, order));
  _mm256_store_si256((__m256i *)at->third, _mm256_permutevar8x32_epi32(thirds, order));
  _mm256_store_si256(
    (__m256i *)at->weights[0],
    _mm256_or_si256(_mm256_sub_epi32(top, most),
                    _mm256_slli_epi32(_mm256_sub_epi32(most, middle), 16)));
  _mm256_store_si256(
    (__m256i *)at->weights[1],
    _mm256_or_si256(_mm256_sub_epi32(middle, least), _mm256_slli_epi32(least, 16)));
}

AVX2 static inline __m128i node_at(const int16_t *node) {
  return _mm_loadl_epi64((const __m128i *)node);
}

/// Blue, green, red and zero: sums of 29 bits.
AVX2 static inline __m128i mix_one(const Grid *grid, const int16_t *node, const Places *at, int i) {
  const __m128i first = _mm_unpacklo_epi16(node_at(node), node_at(node + at->second[i]));
  const __m128i last = _mm_unpacklo_epi16(node_at(node + at->third[i]), node_at(node + grid->last));
  return _mm_add_epi32(_mm_madd_epi16(first, _mm_set1_epi32(at->weights[0][i])),
                       _mm_madd_epi16(last, _mm_set1_epi32(at->weights[1][i])));
}

AVX2 static inline __m128i round_down(__m128i sums) {
  return _mm_srai_epi32(_mm_add_epi32(sums, _mm_set1_epi32(1 << 20)), 21);
}

AVX2 static void grid_avx2(const Grid *grid, uint8_t *pixels, size_t width) {
  const __m128i fourth = _mm_set1_epi32((int)0xFF000000);
  Places at;
  size_t x = 0;
  for (; x + batch <= width; x += batch) {
    uint8_t *p = pixels + 4 * x;
    find_eight(grid, _mm256_loadu_si256((const __m256i *)p), &at);
    for (int i = 0; i < batch; i += 4) {
      __m128i colors[4];
      for (int j = 0; j < 4; j++)
        colors[j] = round_down(mix_one(grid, grid->nodes + at.node[i + j], &at, i + j));
      const __m128i words = _mm_packus_epi16(_mm_packs_epi32(colors[0], colors[1]),
                                             _mm_packs_epi32(colors[2], colors[3]));
      __m128i *out = (__m128i *)(p + 4 * i);
      const __m128i kept = _mm_and_si128(_mm_loadu_si128(out), fourth);
      _mm_storeu_si128(out, _mm_or_si128(words, kept));
    }
  }
  grid_plain(grid, pixels + 4 * x, width - x);
}

AVX2 static void inks_avx2(const Grid *grid, const uint8_t *inks, uint32_t complement,
                           uint8_t *pixels, size_t width) {
  Places at;
  size_t x = 0;
  for (; x + batch <= width; x += batch) {
    const __m256i v = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(inks + 4 * x)),
                                       _mm256_set1_epi32((int)complement));
    _Alignas(32) uint32_t black[batch];
    _mm256_store_si256((__m256i *)black, place_of(grid, 3, v));
    find_eight(grid, v, &at);
    for (int i = 0; i < batch; i++) {
      const int16_t *node = grid->nodes + at.node[i] + 4 * (black[i] >> 15);
      const __m128i one = _mm_srai_epi32(mix_one(grid, node, &at, i), 14);
      const __m128i two = _mm_srai_epi32(mix_one(grid, node + grid->black, &at, i), 14);
      // Of 15 bits: the second goes into the upper halves.
      const __m128i both = _mm_or_si128(one, _mm_slli_epi32(two, 16));
      const uint32_t part = black[i] & 32767;
      const __m128i sums = _mm_madd_epi16(both, _mm_set1_epi32((int)((full - part) | part << 16)));
      const __m128i words = _mm_packs_epi32(round_down(sums), _mm_setzero_si128());
      const uint32_t out = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(words, words));
      const uint32_t opaque = out | 0xFF000000;
      memcpy(pixels + 4 * (x + (size_t)i), &opaque, 4);
    }
  }
  inks_plain(grid, inks + 4 * x, complement, pixels + 4 * x, width - x);
}
#endif

void ikran_color_grid_row(const ikran_color_grid *grid, uint8_t *pixels, size_t width, bool opaque,
                          bool simd) {
  const Grid own = prepare(grid);
#define RUN(pixels, width) PICK(simd, grid, &own, pixels, width)
  EACH_BLOCK(RUN)
#undef RUN
}

void ikran_color_inks_row(const ikran_color_grid *grid, const uint8_t *inks, uint8_t complement,
                          uint8_t *pixels, size_t width, bool simd) {
  const Grid own = prepare(grid);
  PICK(simd, inks, &own, inks, complement * 0x01010101u, pixels, width);
}
