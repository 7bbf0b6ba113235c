// JPEG bytes to a small square, the way a careful C programmer does it today: libjpeg-turbo decodes
// at a reduced scale, a separable Lanczos-3 with 14-bit weights shrinks the rest, vertical pass
// first. Buffers and weights are kept from one call to the next.
#include "CPeers.h"

#include <immintrin.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { weightBits = 14, rounding = 1 << (weightBits - 1), padding = 64 };

// For each output position: the first input it reads and `taps` weights that add up to 1.
typedef struct {
  int input, output, taps;
  double offset;
  int *first;
  int16_t *weight;
} filter;

struct peers_jpeg {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  uint8_t *decoded, *row, *mask;
  size_t decodedCapacity, rowCapacity;
  int maskSide;
  double maskRadius;
  filter vertical, horizontal;
};

static void fail(j_common_ptr common) { longjmp(((peers_jpeg *)common->client_data)->failure, 1); }
static void ignore(j_common_ptr common) { (void)common; }

peers_jpeg *peers_jpeg_create(void) {
  peers_jpeg *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->decoder.err = jpeg_std_error(&peer->errors);
  peer->errors.error_exit = fail;
  peer->errors.output_message = ignore;
  peer->decoder.client_data = peer;
  if (setjmp(peer->failure)) {
    free(peer);
    return NULL;
  }
  jpeg_create_decompress(&peer->decoder);
  return peer;
}

void peers_jpeg_destroy(peers_jpeg *peer) {
  jpeg_destroy_decompress(&peer->decoder);
  free(peer->decoded);
  free(peer->row);
  free(peer->mask);
  free(peer->vertical.first);
  free(peer->vertical.weight);
  free(peer->horizontal.first);
  free(peer->horizontal.weight);
  free(peer);
}

static double lanczos3(double x) {
  if (x == 0) return 1;
  if (fabs(x) >= 3) return 0;
  return 3 * sin(M_PI * x) * sin(M_PI * x / 3) / (M_PI * M_PI * x * x);
}

// Weights for `output` positions over the `span` inputs that start at `offset` of `input`.
static bool prepare(filter *f, int input, double offset, double span, int output) {
  if (f->input == input && f->output == output && f->offset == offset) return true;
  double scale = span / output, stretch = scale > 1 ? scale : 1, reach = 3 * stretch;
  int taps = ((int)ceil(reach) * 2 + 4) & ~3;
  if (taps > input) taps = input;
  free(f->first);
  free(f->weight);
  *f = (filter){input, output, taps, offset, malloc(sizeof(int) * (size_t)output),
                malloc(sizeof(int16_t) * (size_t)output * (size_t)taps)};
  double *exact = malloc(sizeof(double) * (size_t)taps);
  if (f->first == NULL || f->weight == NULL || exact == NULL) {
    free(exact);
    f->output = 0;
    return false;
  }
  for (int i = 0; i < output; i++) {
    double centre = offset + (i + 0.5) * scale, sum = 0;
    int first = (int)floor(centre - reach + 0.5);
    if (first < 0) first = 0;
    if (first > input - taps) first = input - taps;
    f->first[i] = first;
    for (int t = 0; t < taps; t++) sum += exact[t] = lanczos3((first + t + 0.5 - centre) / stretch);
    int16_t *weight = f->weight + (size_t)i * (size_t)taps;
    int total = 0, largest = 0;
    for (int t = 0; t < taps; t++) {
      weight[t] = (int16_t)lrint(exact[t] / sum * (1 << weightBits));
      total += weight[t];
      if (weight[t] > weight[largest]) largest = t;
    }
    weight[largest] = (int16_t)(weight[largest] + (1 << weightBits) - total);
  }
  free(exact);
  return true;
}

static uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

static void shrink_column_plain(
  const uint8_t *top, size_t stride, const int16_t *weight, int taps, uint8_t *row, int from,
  int bytes) {
  for (int x = from; x < bytes; x++) {
    int sum = rounding;
    for (int t = 0; t < taps; t++) sum += weight[t] * top[(size_t)t * stride + (size_t)x];
    row[x] = clamped(sum >> weightBits);
  }
}

static void shrink_row_plain(const uint8_t *row, const filter *f, uint8_t *out) {
  for (int i = 0; i < f->output; i++) {
    const int16_t *weight = f->weight + (size_t)i * (size_t)f->taps;
    const uint8_t *from = row + (size_t)f->first[i] * 4;
    for (int c = 0; c < 4; c++) {
      int sum = rounding;
      for (int t = 0; t < f->taps; t++) sum += weight[t] * from[t * 4 + c];
      out[i * 4 + c] = clamped(sum >> weightBits);
    }
  }
}

static int weight_pair(const int16_t *weight) {
  int pair;
  memcpy(&pair, weight, sizeof pair);
  return pair;
}

// Two rows at a time: their bytes side by side, multiplied and added in pairs.
__attribute__((target("avx2"))) static void shrink_column_avx2(
  const uint8_t *top, size_t stride, const int16_t *weight, int taps, uint8_t *row, int bytes) {
  int x = 0, pairs = taps & ~1;
  for (; x + 16 <= bytes; x += 16) {
    __m256i low = _mm256_set1_epi32(rounding), high = low;
    for (int t = 0; t < pairs; t += 2) {
      const uint8_t *at = top + (size_t)t * stride + (size_t)x;
      __m128i a = _mm_loadu_si128((const __m128i *)at);
      __m128i b = _mm_loadu_si128((const __m128i *)(at + stride));
      __m256i w = _mm256_set1_epi32(weight_pair(weight + t));
      low = _mm256_add_epi32(
        low, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)), w));
      high = _mm256_add_epi32(
        high, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b)), w));
    }
    if (taps > pairs) {
      __m128i a = _mm_loadu_si128((const __m128i *)(top + (size_t)pairs * stride + (size_t)x));
      __m128i zero = _mm_setzero_si128();
      __m256i w = _mm256_set1_epi32((uint16_t)weight[pairs]);
      low = _mm256_add_epi32(
        low, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, zero)), w));
      high = _mm256_add_epi32(
        high, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, zero)), w));
    }
    __m256i words = _mm256_packs_epi32(
      _mm256_srai_epi32(low, weightBits), _mm256_srai_epi32(high, weightBits));
    words = _mm256_permute4x64_epi64(words, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storeu_si128(
      (__m128i *)(row + x),
      _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
  }
  shrink_column_plain(top, stride, weight, taps, row, x, bytes);
}

// Four pixels at a time, shuffled so that each channel's neighbours stand in pairs.
__attribute__((target("avx2"))) static void shrink_row_avx2(
  const uint8_t *row, const filter *f, uint8_t *out) {
  const __m128i pairs = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  const __m256i spread = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  int fours = f->taps & ~3;
  for (int i = 0; i < f->output; i++) {
    const int16_t *weight = f->weight + (size_t)i * (size_t)f->taps;
    const uint8_t *from = row + (size_t)f->first[i] * 4;
    __m256i sums = _mm256_setzero_si256();
    for (int t = 0; t < fours; t += 4) {
      __m128i pixels = _mm_loadu_si128((const __m128i *)(from + t * 4));
      __m256i words = _mm256_cvtepu8_epi16(_mm_shuffle_epi8(pixels, pairs));
      __m128i four = _mm_loadl_epi64((const __m128i *)(weight + t));
      __m256i w = _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(four), spread);
      sums = _mm256_add_epi32(sums, _mm256_madd_epi16(words, w));
    }
    __m128i sum = _mm_add_epi32(
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1)),
      _mm_set1_epi32(rounding));
    for (int t = fours; t < f->taps; t++) {
      int pixel;
      memcpy(&pixel, from + t * 4, sizeof pixel);
      __m128i wide = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(pixel));
      sum = _mm_add_epi32(sum, _mm_mullo_epi32(wide, _mm_set1_epi32(weight[t])));
    }
    __m128i words = _mm_packs_epi32(_mm_srai_epi32(sum, weightBits), _mm_setzero_si128());
    int pixel = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    memcpy(out + i * 4, &pixel, sizeof pixel);
  }
}

static bool prepare_mask(peers_jpeg *peer, int side, double radius) {
  if (peer->mask != NULL && peer->maskSide == side && peer->maskRadius == radius) return true;
  free(peer->mask);
  peer->mask = malloc((size_t)side * (size_t)side);
  if (peer->mask == NULL) return false;
  peer->maskSide = side;
  peer->maskRadius = radius;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      double px = x + 0.5, py = y + 0.5;
      double dx = fmax(fmax(radius - px, px - (side - radius)), 0);
      double dy = fmax(fmax(radius - py, py - (side - radius)), 0);
      double coverage = dx > 0 && dy > 0 ? radius - sqrt(dx * dx + dy * dy) + 0.5 : 1;
      peer->mask[y * side + x] = (uint8_t)lrint(255 * fmin(fmax(coverage, 0), 1));
    }
  return true;
}

static void cut_corners(const uint8_t *mask, int pixels, uint8_t *bgra) {
  for (int i = 0; i < pixels; i++) {
    unsigned m = mask[i];
    if (m == 255) {
      bgra[i * 4 + 3] = 255;
      continue;
    }
    for (int c = 0; c < 3; c++) {
      unsigned product = bgra[i * 4 + c] * m + 128;
      bgra[i * 4 + c] = (uint8_t)((product + (product >> 8)) >> 8);
    }
    bgra[i * 4 + 3] = (uint8_t)m;
  }
}

static bool reserve(uint8_t **buffer, size_t *capacity, size_t needed) {
  if (*capacity >= needed) return true;
  free(*buffer);
  *buffer = aligned_alloc(64, (needed + 63) & ~(size_t)63);
  *capacity = *buffer == NULL ? 0 : needed;
  return *buffer != NULL;
}

static int reduced_eighths(int width, int height, int wanted) {
  int shorter = width < height ? width : height;
  for (int eighths = 1; eighths < 8; eighths *= 2)
    if ((long)shorter * eighths / 8 >= wanted) return eighths;
  return 8;
}

bool peers_jpeg_thumbnail(
  peers_jpeg *peer, const uint8_t *bytes, size_t count, int side, int factor, double radius,
  uint8_t *pixels) {
  struct jpeg_decompress_struct *decoder = &peer->decoder;
  if (setjmp(peer->failure)) {
    jpeg_abort_decompress(decoder);
    return false;
  }
  jpeg_mem_src(decoder, bytes, (unsigned long)count);
  jpeg_read_header(decoder, TRUE);
  decoder->scale_num = (unsigned)reduced_eighths(
    (int)decoder->image_width, (int)decoder->image_height, factor * side);
  decoder->scale_denom = 8;
  decoder->out_color_space = JCS_EXT_BGRX;
  jpeg_start_decompress(decoder);

  int width = (int)decoder->output_width, height = (int)decoder->output_height;
  int shorter = width < height ? width : height;
  size_t stride = (size_t)width * 4;
  if (!reserve(&peer->decoded, &peer->decodedCapacity, stride * (size_t)height + padding) ||
      !reserve(&peer->row, &peer->rowCapacity, stride + padding) ||
      !prepare(&peer->vertical, height, (height - shorter) / 2.0, shorter, side) ||
      !prepare(&peer->horizontal, width, (width - shorter) / 2.0, shorter, side)) {
    jpeg_abort_decompress(decoder);
    return false;
  }
  while (decoder->output_scanline < decoder->output_height) {
    uint8_t *line = peer->decoded + stride * decoder->output_scanline;
    jpeg_read_scanlines(decoder, &line, 1);
  }
  jpeg_finish_decompress(decoder);

  bool avx2 = __builtin_cpu_supports("avx2");
  for (int y = 0; y < side; y++) {
    const filter *v = &peer->vertical;
    const uint8_t *top = peer->decoded + stride * (size_t)v->first[y];
    const int16_t *weight = v->weight + (size_t)y * (size_t)v->taps;
    uint8_t *out = pixels + (size_t)y * (size_t)side * 4;
    if (avx2) {
      shrink_column_avx2(top, stride, weight, v->taps, peer->row, (int)stride);
      shrink_row_avx2(peer->row, &peer->horizontal, out);
    } else {
      shrink_column_plain(top, stride, weight, v->taps, peer->row, 0, (int)stride);
      shrink_row_plain(peer->row, &peer->horizontal, out);
    }
  }
  if (radius >= 0) {
    if (!prepare_mask(peer, side, radius)) return false;
    cut_corners(peer->mask, side * side, pixels);
  }
  return true;
}

static void leave(j_common_ptr common) { longjmp(*(jmp_buf *)common->client_data, 1); }

uint8_t *peers_jpeg_progressive(const uint8_t *bytes, size_t count, size_t *size) {
  struct jpeg_decompress_struct decoder;
  struct jpeg_compress_struct encoder;
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  unsigned char *file = NULL;
  unsigned long length = 0;
  decoder.err = encoder.err = jpeg_std_error(&errors);
  errors.error_exit = leave;
  jpeg_create_decompress(&decoder);
  jpeg_create_compress(&encoder);
  decoder.client_data = encoder.client_data = &failure;
  bool done = false;
  if (!setjmp(failure)) {
    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&decoder);
    jpeg_copy_critical_parameters(&decoder, &encoder);
    jpeg_simple_progression(&encoder);
    jpeg_mem_dest(&encoder, &file, &length);
    jpeg_write_coefficients(&encoder, coefficients);
    jpeg_finish_compress(&encoder);
    done = true;
  }
  jpeg_destroy_compress(&encoder);
  jpeg_destroy_decompress(&decoder);
  *size = length;
  return done ? file : NULL;
}
