// Decision 74: XXH3 with 64 bits of output (xxHash specification, version 0.2.0), of bytes, and of rows
// while they are copied, which no library does.
#include "CIkranKernels.h"
#include "simd.h"

#include <string.h>

enum { stripe = 64, lanes = 8, stripes_a_block = 16, secret_size = 192 };

static const uint64_t prime32_1 = 0x9E3779B1, prime32_2 = 0x85EBCA77, prime32_3 = 0xC2B2AE3D;
static const uint64_t prime64_1 = 0x9E3779B185EBCA87, prime64_2 = 0xC2B2AE3D27D4EB4F,
                      prime64_3 = 0x165667B19E3779F9, prime64_4 = 0x85EBCA77C2B2AE63,
                      prime64_5 = 0x27D4EB2F165667C5;

// The specification's default secret.
static const uint8_t default_secret[secret_size] = {
  0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
  0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
  0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
  0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
  0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
  0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
  0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
  0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
  0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
  0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
  0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
  0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

typedef struct {
  _Alignas(64) uint64_t sums[lanes];
  _Alignas(64) uint8_t secret[secret_size];
} state;

static inline uint64_t word(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static void begin(state *s, uint64_t seed) {
  const uint64_t sums[lanes] = {prime32_3, prime64_1, prime64_2, prime64_3,
                                prime64_4, prime32_2, prime64_5, prime32_1};
  memcpy(s->sums, sums, sizeof sums);
  for (int i = 0; i < secret_size; i += 8) {
    uint64_t value = word(default_secret + i) + (i % 16 == 0 ? seed : 0 - seed);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(s->secret + i, &value, sizeof value);
  }
}

static inline void add_plain(state *s, const uint8_t *in, const uint8_t *secret) {
  for (int i = 0; i < lanes; i++) {
    uint64_t value = word(in + 8 * i), key = value ^ word(secret + 8 * i);
    s->sums[i ^ 1] += value;
    s->sums[i] += (key & 0xFFFFFFFF) * (key >> 32);
  }
}

static void scramble(state *s) {
  for (int i = 0; i < lanes; i++) {
    uint64_t sum = s->sums[i];
    sum ^= sum >> 47;
    sum ^= word(s->secret + secret_size - stripe + 8 * i);
    s->sums[i] = sum * prime32_1;
  }
}

// Copies whole stripes unless `out` is null; `position` is the number of the first in its block.
static void add_run_plain(state *s, const uint8_t *in, uint8_t *out, size_t count,
                          unsigned *position) {
  for (size_t i = 0; i < count; i++, in += stripe) {
    add_plain(s, in, s->secret + 8 * *position);
    if (out != NULL) memcpy(out + i * stripe, in, stripe);
    if (++*position == stripes_a_block) {
      scramble(s);
      *position = 0;
    }
  }
}

#ifdef __x86_64__
AVX2 static void add_run_avx2(state *s, const uint8_t *in, uint8_t *out, size_t count,
                              unsigned *position) {
  __m256i low = _mm256_load_si256((const __m256i *)s->sums);
  __m256i high = _mm256_load_si256((const __m256i *)(s->sums + 4));
  const __m256i *last = (const __m256i *)(s->secret + secret_size - stripe);
  const __m256i factor = _mm256_set1_epi64x((long long)prime32_1);
  unsigned n = *position;
  for (size_t i = 0; i < count; i++, in += stripe) {
    const __m256i *secret = (const __m256i *)(s->secret + 8 * n);
    __m256i a = _mm256_loadu_si256((const __m256i *)in);
    __m256i b = _mm256_loadu_si256((const __m256i *)in + 1);
    if (out != NULL) {
      _mm256_storeu_si256((__m256i *)(out + i * stripe), a);
      _mm256_storeu_si256((__m256i *)(out + i * stripe) + 1, b);
    }
    __m256i keyA = _mm256_xor_si256(a, _mm256_loadu_si256(secret));
    __m256i keyB = _mm256_xor_si256(b, _mm256_loadu_si256(secret + 1));
    low = _mm256_add_epi64(low, _mm256_shuffle_epi32(a, 0x4E));
    high = _mm256_add_epi64(high, _mm256_shuffle_epi32(b, 0x4E));
    low = _mm256_add_epi64(low, _mm256_mul_epu32(keyA, _mm256_srli_epi64(keyA, 32)));
    high = _mm256_add_epi64(high, _mm256_mul_epu32(keyB, _mm256_srli_epi64(keyB, 32)));
    if (++n < stripes_a_block) continue;
    n = 0;
    low = _mm256_xor_si256(low, _mm256_srli_epi64(low, 47));
    high = _mm256_xor_si256(high, _mm256_srli_epi64(high, 47));
    low = _mm256_xor_si256(low, _mm256_loadu_si256(last));
    high = _mm256_xor_si256(high, _mm256_loadu_si256(last + 1));
    // The product of 64 and 32 bits, from two of 32 and 32.
    __m256i upper = _mm256_mul_epu32(_mm256_srli_epi64(low, 32), factor);
    low = _mm256_add_epi64(_mm256_mul_epu32(low, factor), _mm256_slli_epi64(upper, 32));
    upper = _mm256_mul_epu32(_mm256_srli_epi64(high, 32), factor);
    high = _mm256_add_epi64(_mm256_mul_epu32(high, factor), _mm256_slli_epi64(upper, 32));
  }
  *position = n;
  _mm256_store_si256((__m256i *)s->sums, low);
  _mm256_store_si256((__m256i *)(s->sums + 4), high);
}
#endif

static inline uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t finish(state *s, const uint8_t *last, uint64_t bytes) {
  add_plain(s, last, s->secret + secret_size - stripe - 7);
  uint64_t result = bytes * prime64_1;
  for (int i = 0; i < lanes; i += 2) {
    const uint8_t *secret = s->secret + 11 + 8 * i;
    result += fold(s->sums[i] ^ word(secret), s->sums[i + 1] ^ word(secret + 8));
  }
  result = (result ^ result >> 37) * 0x165667919E3779F9;
  return result ^ result >> 32;
}

uint64_t ikran_checksum(const uint8_t *in, size_t count, uint64_t seed, bool simd) {
  state s;
  begin(&s, seed);
  unsigned position = 0;
  PICK(simd, add_run, &s, in, NULL, (count - 1) / stripe, &position);
  return finish(&s, in + count - stripe, count);
}

uint64_t ikran_checksum_rows(const uint8_t *in, size_t stride, size_t used, size_t rows,
                             uint8_t *out, uint64_t seed, bool simd) {
  state s;
  begin(&s, seed);
  size_t whole = used / stripe, rest = used % stripe, padded = whole + (rest != 0);
  unsigned position = 0;
  uint8_t last[stripe] = {0};
  for (size_t row = 0; row < rows; row++, in += stride) {
    // The last stripe of all is mixed in another way.
    bool isLast = row + 1 == rows;
    size_t count = whole - (isLast && rest == 0);
    PICK(simd, add_run, &s, in, out, count, &position);
    if (isLast || rest != 0) {
      memcpy(last, in + count * stripe, rest != 0 ? rest : stripe);
      if (out != NULL) memcpy(out + count * stripe, last, stripe);
      if (!isLast) PICK(simd, add_run, &s, last, NULL, 1, &position);
    }
    if (out != NULL) out += padded * stripe;
  }
  return finish(&s, last, (uint64_t)padded * stripe * rows);
}
