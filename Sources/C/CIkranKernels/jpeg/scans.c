#include "CIkranKernels.h"

#include <string.h>

#include "../simd.h"

INLINE bool is_marker(const uint8_t *in, bool restarts) {
  return in[0] == 0xFF && in[1] != 0 && (restarts || (in[1] & 0xF8) != 0xD0);
}

size_t ikran_jpeg_next_marker(const uint8_t *in, size_t count, bool restarts) {
  size_t at = 0;
#ifdef __x86_64__
  const __m128i full = _mm_set1_epi8(-1), zero = _mm_setzero_si128();
  for (; count - at > 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(in + at));
    __m128i next = _mm_loadu_si128((const __m128i *)(in + at + 1));
    __m128i marks = _mm_andnot_si128(_mm_cmpeq_epi8(next, zero), _mm_cmpeq_epi8(bytes, full));
    for (uint32_t hits = (uint32_t)_mm_movemask_epi8(marks); hits; hits &= hits - 1) {
      size_t hit = at + (size_t)__builtin_ctz(hits);
      if (is_marker(in + hit, restarts)) return hit;
    }
  }
#endif
  for (; at + 1 < count; at++)
    if (is_marker(in + at, restarts)) return at;
  return count;
}

// Refinement. Sets of coefficients are words whose highest bit is the first coefficient in zigzag
// order, so that the order of bits is the order of the file.

typedef struct {
  uint64_t bits;
  int64_t count;
  const uint8_t *next;
} stream;

// Afterwards at least 56 bits are valid.
INLINE void refill(stream *s) {
  uint64_t word;
  memcpy(&word, s->next, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  s->bits |= word >> s->count;
  s->next += (63 - s->count) >> 3;
  s->count |= 56;
}

INLINE uint64_t take(stream *s, unsigned width) {
  uint64_t value = s->bits >> 1 >> (63 - width);
  s->bits <<= width;
  s->count -= width;
  return value;
}

// Moves the low bits of `value` to where `set` has bits, lowest first.
typedef uint64_t spreading(uint64_t value, uint64_t set);

static inline uint64_t spread_plain(uint64_t value, uint64_t set) {
  uint64_t out = 0;
  for (; value && set; value >>= 1, set &= set - 1)
    if (value & 1) out |= set & -set;
  return out;
}

// A correction bit for each coefficient of `set`; takes at most 32 bits before it refills.
INLINE uint64_t corrections(stream *s, uint64_t set, spreading *spread) {
  unsigned count = (unsigned)__builtin_popcountll(set);
  uint64_t out = 0;
  if (count > 32) {
    uint64_t last = spread(0xFFFFFFFF, set);
    out = spread(take(s, count - 32), set ^ last);
    refill(s);
    set = last, count = 32;
  }
  return out | spread(take(s, count), set);
}

// The symbol that `bits` begin with, after its length in the low byte; negative for none.
static int32_t codeword(uint64_t bits, const int32_t *codewords) {
  int32_t top = (int32_t)(bits >> 48);
  int length = 1;
  for (int i = 1; i <= 16; i++) length += top >= codewords[i];
  if (length > 16) return -1;
  int32_t index = (top >> (16 - length)) + codewords[17 + length];
  return codewords[34 + (index & 255)] << 8 | length;
}

enum { END_OF_BLOCK = 512, UNKNOWN = 256 };

// Adds a bit to the magnitude of the coefficients of `changed`; `negative` has the signs of those
// that were zero.
typedef void applying(const ikran_jpeg_refinement *r, int16_t *block, uint64_t changed,
                      uint64_t negative);

static inline void apply_plain(const ikran_jpeg_refinement *r, int16_t *block, uint64_t changed,
                               uint64_t negative) {
  while (changed) {
    unsigned index = (unsigned)__builtin_clzll(changed);
    uint64_t bit = 1ull << 63 >> index;
    int16_t *value = block + r->order[index + 1];
    bool falls = *value < 0 || (negative & bit);
    *value = (int16_t)(uint16_t)(*value + (falls ? -r->step : r->step));
    changed ^= bit;
  }
}

INLINE bool refine(ikran_jpeg_refinement *r, uint64_t *history, int16_t *block, size_t stride,
                   size_t count, spreading *spread, applying *apply) {
  stream s = {r->bits, r->count, r->next};
  uint32_t run = r->run;
  for (; count > 0; count--, history++, block += stride) {
    if (s.next > r->last_start) return false;
    uint64_t known = *history, rest = r->band, changed = 0, fresh = 0, negative = 0;
    while (run == 0 && rest) {
      refill(&s);
      uint32_t entry = r->values[s.bits >> 54];
      unsigned length = entry >> 22, size = 63 - (entry >> 16 & 63), move = entry >> 6 & 0x3FF;
      if (move == UNKNOWN) {
        int32_t found = codeword(s.bits, r->codewords);
        if (found < 0) return false;
        bool ends = (found >> 8 & 15) == 0 && found < 0xF000;
        length = found & 255, size = found >> (ends ? 12 : 8) & 15;
        move = ends ? END_OF_BLOCK : (unsigned)(found >> 12) + 1;
      }
      take(&s, length);
      if (move == END_OF_BLOCK) {
        run = (1u << size) + (uint32_t)take(&s, size);
        refill(&s);
        break;
      }
      uint64_t zeros = ~known & rest;
      int left = __builtin_popcountll(zeros) - (int)move;
      if (size > 1 || left < 0) return false;
      uint64_t sign = s.bits >> 63, spot = spread(1ull << left, zeros);
      uint64_t set = size ? spot : 0;
      take(&s, size);
      changed |= corrections(&s, known & rest & -(spot << 1), spread);
      fresh |= set;
      negative |= sign ? 0 : set;
      rest &= spot - 1;
    }
    if (run > 0) {
      if (known & rest) {
        refill(&s);
        changed |= corrections(&s, known & rest, spread);
      }
      run--;
    }
    *history = known | fresh;
    apply(r, block, (changed | fresh) & r->stored, negative);
  }
  r->bits = s.bits, r->count = s.count, r->next = s.next, r->run = run;
  return true;
}

static bool refine_plain(ikran_jpeg_refinement *r, uint64_t *history, int16_t *block,
                         size_t stride, size_t count) {
  return refine(r, history, block, stride, count, spread_plain, apply_plain);
}

#ifdef __x86_64__
#define BMI2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

BMI2 static inline uint64_t spread_bmi2(uint64_t value, uint64_t set) {
  return _pdep_u64(value, set);
}

// The place in zigzag order of each coefficient of a block.
#define ZIGZAG(f)                                                                             \
  f(0), f(1), f(5), f(6), f(14), f(15), f(27), f(28), f(2), f(4), f(7), f(13), f(16), f(26),  \
      f(29), f(42), f(3), f(8), f(12), f(17), f(25), f(30), f(41), f(43), f(9), f(11), f(18), \
      f(24), f(31), f(40), f(44), f(53), f(10), f(19), f(23), f(32), f(39), f(45), f(52),     \
      f(54), f(20), f(22), f(33), f(38), f(46), f(51), f(55), f(60), f(21), f(34), f(37),     \
      f(47), f(50), f(56), f(59), f(61), f(35), f(36), f(48), f(49), f(57), f(58), f(62), f(63)
// The byte of a set that has the coefficient's bit, after an index that stands for zero; the bit.
#define BYTE(place) (int16_t)(0x8000 | (7 - place / 8))
#define BIT(place) 0x80 >> place % 8
static const int16_t set_bytes[64] = {ZIGZAG(BYTE)}, set_bits[64] = {ZIGZAG(BIT)};

// All ones for each of 16 coefficients whose bit is in `set`, which is there twice.
BMI2 INLINE __m256i members(__m256i set, __m256i bytes, __m256i bits) {
  return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_shuffle_epi8(set, bytes), bits), bits);
}

// The same for whole blocks in natural order.
BMI2 static inline void apply_avx2(const ikran_jpeg_refinement *r, int16_t *block,
                                   uint64_t changed, uint64_t negative) {
  const __m256i step = _mm256_set1_epi16((int16_t)r->step);
  const __m256i all = _mm256_set1_epi64x((int64_t)changed);
  const __m256i below = _mm256_set1_epi64x((int64_t)negative);
  for (int i = 0; changed && i < 64; i += 16) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(set_bytes + i));
    __m256i bits = _mm256_loadu_si256((const __m256i *)(set_bits + i));
    __m256i values = _mm256_loadu_si256((const __m256i *)(block + i));
    __m256i sign = _mm256_or_si256(_mm256_srai_epi16(values, 15), members(below, bytes, bits));
    __m256i added = _mm256_and_si256(members(all, bytes, bits), step);
    added = _mm256_sub_epi16(_mm256_xor_si256(added, sign), sign);
    _mm256_storeu_si256((__m256i *)(block + i), _mm256_add_epi16(values, added));
  }
}

BMI2 static bool refine_avx2(ikran_jpeg_refinement *r, uint64_t *history, int16_t *block,
                             size_t stride, size_t count) {
  return stride == 64 ? refine(r, history, block, stride, count, spread_bmi2, apply_avx2)
                      : refine(r, history, block, stride, count, spread_bmi2, apply_plain);
}

// AMD's processors before Zen 3 take a long time for the instruction.
static bool spreads_fast(void) {
  return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt") &&
         !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2") && !__builtin_cpu_is("bdver4");
}
#endif

bool ikran_jpeg_refine(ikran_jpeg_refinement *refinement, uint64_t *history, int16_t *block,
                       size_t stride, size_t count, bool simd) {
  return PICK(simd && spreads_fast(), refine, refinement, history, block, stride, count);
}
