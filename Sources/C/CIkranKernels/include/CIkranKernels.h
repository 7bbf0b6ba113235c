#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// 64-byte aligned memory, or NULL when the system refuses; freed with ikran_free. What it contains is
/// undefined: 64 KB and more are mapped, and may be the pixels of an earlier picture.
void *_Nullable ikran_aligned_alloc(size_t bytes);
/// Frees memory of as many bytes as were asked for.
void ikran_free(void *_Nullable memory, size_t bytes);
/// Gives the system back what is free: blocks that are kept for the next picture, and what the C library
/// keeps in its heaps. The latter takes as long as it takes to walk them, about a millisecond.
void ikran_release_free_memory(void);

/// One byte that threads set and read without a lock.
void ikran_flag_clear(void *_Nonnull flag);
void ikran_flag_set(void *_Nonnull flag);
bool ikran_flag(const void *_Nonnull flag);

/// Whether this processor runs the AVX2 loops. Every kernel with a `simd` argument writes the same
/// bytes whether it is true or false; it must be false where this is false.
bool ikran_has_simd(void);

// Resampling. Weights have 14 fractional bits and sum to 16384; rows between the two passes hold
// channels with 6 fractional bits.

/// out[i] = Σ weights[j] · rows[j][i] for `count` rows, an even number.
void ikran_blend_rows(const uint8_t *_Nonnull const *_Nonnull rows,
                      const int16_t *_Nonnull weights, size_t count, size_t bytes,
                      int16_t *_Nonnull out, bool simd);

/// Writes `width` pixels of four bytes: pixel i = Σ weights[i · stride + j] · row[starts[i] + j].
///
/// `stride` is a multiple of 4 and `counts[i]` (also one) is the number of its weights;
/// `row` must be readable that far. Opaque pixels get 255 in the fourth byte, others have their
/// colours clamped to their alpha.
void ikran_gather_row(const int16_t *_Nonnull row, const int32_t *_Nonnull starts,
                      const int16_t *_Nonnull counts, const int16_t *_Nonnull weights,
                      size_t stride, size_t width, uint8_t *_Nonnull out, bool opaque, bool simd);

/// sums[i] += row[i]; at most 256 rows fit.
void ikran_add_row(uint16_t *_Nonnull sums, const uint8_t *_Nonnull row, size_t bytes);

/// Averages `width` pixels of column sums over `rows` rows in blocks of `block` columns, the last
/// one possibly narrower, and clears the sums.
void ikran_average_row(uint16_t *_Nonnull sums, size_t width, size_t block, size_t rows,
                       uint8_t *_Nonnull out);

/// How luma and chroma become colours: channel = lumaScale · (Y - lumaOffset) + factor · (U or V - 128).
typedef struct {
  float lumaScale, lumaOffset, blueByU, greenByU, greenByV, redByV;
} ikran_planar_colors;

/// Luma, and chroma with as many columns and rows, or half as many, rounded up.
typedef struct {
  const uint8_t *_Nonnull y, *_Nonnull u, *_Nonnull v;
  size_t yStride, chromaStride, width, height;
  bool halvesWidth, halvesHeight;
  ikran_planar_colors colors;
} ikran_planar;

/// The bytes of working memory that `ikran_planar_reduce` takes, aligned to four.
size_t ikran_planar_memory(const ikran_planar *_Nonnull planes, size_t block);

/// Writes row `row` of the picture reduced by `block`, an even number of at most 256, in opaque BGRX: the
/// means of squares, of which those at the right and at the bottom may be smaller.
void ikran_planar_reduce(const ikran_planar *_Nonnull planes, size_t block, size_t row,
                         void *_Nonnull memory, uint8_t *_Nonnull out, bool simd);

// Pixel formats, numbered as in PixelFormat.

/// Converts `width` pixels from one format to another; alpha is dropped, which is over black.
void ikran_convert_row(const uint8_t *_Nonnull in, uint8_t from, uint8_t *_Nonnull out, uint8_t to,
                       size_t width);
/// Turns red, green and blue into opaque BGRX.
void ikran_expand_rgb(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t width, bool simd);
/// Multiplies the colours of straight BGRA pixels by their alpha, in place, rounding to nearest.
void ikran_premultiply(uint8_t *_Nonnull pixels, size_t width, bool simd);
/// Draws premultiplied BGRA pixels over others: over + pixels · (255 - alpha) / 255, rounded to
/// nearest.
void ikran_draw_over(const uint8_t *_Nonnull over, uint8_t *_Nonnull pixels, size_t width);
/// Draws premultiplied BGRA pixels over others, of which `weight` / 256 is seen; it is at most 256.
///
/// Opaque pixels are mixed as ikran_mix does; others may differ by 1 from what rounds to nearest.
void ikran_fade_over(const uint8_t *_Nonnull over, uint8_t *_Nonnull pixels, size_t width,
                     uint32_t weight, bool simd);
/// Draws straight BGRA pixels over premultiplied ones, which stay premultiplied: (over · alpha +
/// pixels · (255 - alpha)) / 255, rounded to nearest.
void ikran_blend_over(const uint8_t *_Nonnull over, uint8_t *_Nonnull pixels, size_t width,
                      bool simd);
/// out = (first · (256 - weight) + second · weight) / 256 for each byte, rounded to nearest; a weight
/// is at most 256. Premultiplied pixels stay premultiplied.
void ikran_mix(const uint8_t *_Nonnull first, const uint8_t *_Nonnull second,
               uint8_t *_Nonnull out, size_t bytes, uint16_t weight);
/// Turns premultiplied BGRA into straight RGBA; clear pixels become all zero.
void ikran_straighten(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t width);

/// Fills `width × height` pixels; pixel (x, y) is read `x · stepX + y · stepY` bytes from `in`.
void ikran_turn(const uint8_t *_Nonnull in, ptrdiff_t stepX, ptrdiff_t stepY,
                uint8_t *_Nonnull out, size_t outStride, size_t width, size_t height,
                size_t bytesPerPixel);

// Edges.

/// Multiplies all four bytes of each pixel by its coverage / 255, rounding to nearest.
void ikran_mask_run(uint8_t *_Nonnull pixels, const uint8_t *_Nonnull coverage, size_t width,
                    bool simd);
/// The same with one coverage for all pixels.
void ikran_mask_fill(uint8_t *_Nonnull pixels, uint8_t coverage, size_t width);
/// Paints a ring of straight BGRA `color` where `outer` covers and `inner` does not, and clears
/// what lies outside `outer`.
void ikran_ring_run(uint8_t *_Nonnull pixels, const uint8_t *_Nonnull outer,
                    const uint8_t *_Nonnull inner, const uint8_t *_Nonnull color, size_t width);

// JPEG. Rows of samples have one byte per pixel.

/// Copies entropy-coded bytes without the zero that follows each 255, up to a marker, the end or
/// `room` bytes; returns how many were written.
size_t ikran_jpeg_unstuff(const uint8_t *_Nonnull in, size_t count, uint8_t *_Nonnull out,
                          size_t room, size_t *_Nonnull consumed);

/// The offset of the first 255 that begins a marker, `count` where there is none; restarts count only
/// when `restarts` is true.
size_t ikran_jpeg_next_marker(const uint8_t *_Nonnull in, size_t count, bool restarts);

/// A scan that refines AC coefficients (ITU-T T.81, G.1.2.3), and how far it was decoded.
///
/// A set of coefficients is a word whose highest bit is the first coefficient in zigzag order.
typedef struct {
  /// A look-up table for the next ten bits and arrays for a codeword: see HuffmanTable.swift.
  const uint32_t *_Nonnull values;
  const int32_t *_Nonnull codewords;
  /// The index in a block of each coefficient, after one element.
  const uint8_t *_Nonnull order;
  /// The coefficients that are refined, and those that a block has room for.
  uint64_t band, stored;
  /// What a correction adds to a magnitude.
  int32_t step;
  /// How many blocks have only corrections.
  uint32_t run;
  /// The next bits, how many of them are valid, and the bytes that follow.
  uint64_t bits;
  int64_t count;
  const uint8_t *_Nonnull next;
  /// Where the last block may begin; 272 bytes after it are readable.
  const uint8_t *_Nonnull last_start;
} ikran_jpeg_refinement;

/// Refines `count` blocks, each of `stride` coefficients; false when the data is damaged.
///
/// `history` has the set of coefficients that are not zero for each block.
bool ikran_jpeg_refine(ikran_jpeg_refinement *_Nonnull refinement, uint64_t *_Nonnull history,
                       int16_t *_Nonnull block, size_t stride, size_t count, bool simd);

/// Transforms `count` blocks to squares of `side` samples that lie next to each other.
///
/// A block is 64 coefficients in natural order for a side of 8 or 4, the first eight in zigzag
/// order for 2, of which five count, and one for 1. `steps` are quantisation steps in that order.
void ikran_jpeg_blocks(const int16_t *_Nonnull coefficients, size_t count,
                       const uint16_t *_Nonnull steps, size_t side, uint8_t *_Nonnull out,
                       size_t stride, bool simd);

/// Writes two rows of samples, four for each of `count` blocks, of which only the means are known, in
/// `step` eighths of a level: those of five rows of blocks, of which the middle one is meant.
void ikran_jpeg_interpolate(const int16_t *_Nonnull const *_Nonnull rows, size_t count,
                            uint16_t step, uint8_t *_Nonnull out, size_t stride, bool simd);

/// Writes `width` pixels of blue, green, red, 255 from luma and two rows of chroma.
void ikran_jpeg_color_row(const uint8_t *_Nonnull luma, const uint8_t *_Nonnull blue,
                          const uint8_t *_Nonnull red, uint8_t *_Nonnull out, size_t width,
                          bool simd);
void ikran_jpeg_gray_row(const uint8_t *_Nonnull luma, uint8_t *_Nonnull out, size_t width);

/// Doubles a row of `width` samples, smoothly or not.
void ikran_jpeg_widen(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t width, bool simd);
void ikran_jpeg_repeat(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t width);
/// One of two rows in place of `near`; `far` is the row above it, or below.
void ikran_jpeg_heighten(const uint8_t *_Nonnull near, const uint8_t *_Nonnull far, bool below,
                         uint8_t *_Nonnull out, size_t width, bool simd);
/// Doubles a row both ways at once; `sums` is working memory for `width` sums.
void ikran_jpeg_enlarge(const uint8_t *_Nonnull near, const uint8_t *_Nonnull far,
                        uint16_t *_Nonnull sums, uint8_t *_Nonnull out, size_t width, bool simd);

// PNG.

/// Bytes behind each row that ikran_png_unfilter may write to, and read.
enum { IKRAN_PNG_SLACK = 96 };

/// Unfilters rows of `pixel` bytes per pixel, 1, 2, 3, 4, 6 or 8; pixels of fewer bits count as one
/// byte. False, with nothing written, when a row has a filter that does not exist.
///
/// `in` has `rows` rows, each of a byte for its filter and `bytes` bytes. `out` is the row above the
/// first, zero at the top of a picture; the others follow it, `stride` bytes apart. Both have memory
/// for a multiple of eight rows, and the slack behind the last of `in` and behind each of `out`.
bool ikran_png_unfilter(const uint8_t *_Nonnull in, size_t bytes, size_t rows, size_t pixel,
                        uint8_t *_Nonnull out, size_t stride, bool simd);
/// Filters a row of `bytes` bytes as the smallest sum of its bytes, taken as signed, would have it, and
/// writes the filter before it. `above` is the row above, or zero; `out` and `other`, which is working
/// memory, have a byte more than a row.
void ikran_png_filter(const uint8_t *_Nonnull row, const uint8_t *_Nonnull above, size_t bytes,
                      size_t pixel, uint8_t *_Nonnull out, uint8_t *_Nonnull other, bool simd);
/// Writes the pixels, four bytes each, that `width` indices of 1, 2, 4 or 8 bits stand for.
void ikran_png_look_up(const uint8_t *_Nonnull in, size_t depth, const uint8_t *_Nonnull table,
                       size_t width, uint8_t *_Nonnull out);
/// Writes `width` pixels of blue, green, red and straight alpha from 1 to 4 channels of 8 or 16 bits,
/// 16 rounded to the nearest of 8: gray, gray and alpha, red, green, blue, or these and alpha.
///
/// One channel must have 16 bits. `clear` has three channels, for gray the same thrice: pixels of
/// that colour, of one or three channels, are clear.
void ikran_png_expand(const uint8_t *_Nonnull in, size_t channels, size_t depth,
                      const uint16_t *_Nullable clear, size_t width, uint8_t *_Nonnull out,
                      bool simd);

// Turned pictures and shapes.

/// Writes `count` pixels sampled from premultiplied ones along a line, bilinearly.
///
/// The line starts at (`x`, `y`) and moves by a step for each pixel, all with 32 fractional bits;
/// whole numbers are the pixels' centres. What lies outside the picture is clear.
void ikran_sample_line(const uint8_t *_Nonnull in, size_t stride, size_t width, size_t height,
                       int64_t x, int64_t y, int64_t stepX, int64_t stepY, uint8_t *_Nonnull out,
                       size_t count);
/// Writes `count` pixels of a premultiplied row, from a place on and by a step for each, both with 32
/// fractional bits: mixes of two that lie next to each other.
///
/// Whole numbers are the pixels' centres. What lies outside the row is clear.
void ikran_sample_row(const uint8_t *_Nonnull in, size_t width, int64_t place, int64_t step,
                      uint8_t *_Nonnull out, size_t count);

/// A column of a picture, and the place in it that is read next and the way to the one after that, both
/// with 32 fractional bits.
typedef struct {
  int64_t source, place, step;
} ikran_strip;

/// Writes a pixel of each of `count` columns of a premultiplied picture, a mix of two below each other,
/// and moves each column's place on by its step.
///
/// Whole numbers are the pixels' centres. What lies outside the picture is clear.
void ikran_sample_strips(const uint8_t *_Nonnull in, size_t stride, size_t height,
                         ikran_strip *_Nonnull strips, uint8_t *_Nonnull out, size_t count);
/// Paints a straight BGRA `color` over premultiplied pixels, by its alpha and by what `coverage`
/// exceeds `without` by, which may be NULL for none.
void ikran_paint_run(uint8_t *_Nonnull pixels, const uint8_t *_Nonnull coverage,
                     const uint8_t *_Nullable without, const uint8_t *_Nonnull color, size_t width);

// Checksums.

/// XXH3 of `count` bytes with 64 bits of output. They must be more than 240: the algorithm has other forms
/// for fewer.
uint64_t ikran_checksum(const uint8_t *_Nonnull in, size_t count, uint64_t seed, bool simd);

/// XXH3 of `rows` rows with 64 bits of output; the same pass copies them to `out` unless it is NULL.
///
/// A row has `used` bytes, at least one, every `stride` bytes of `in`; in `out`, and for the checksum,
/// they are followed by zeros up to a multiple of 64 bytes. All together must be more than 240 bytes:
/// the algorithm has other forms for fewer.
uint64_t ikran_checksum_rows(const uint8_t *_Nonnull in, size_t stride, size_t used, size_t rows,
                             uint8_t *_Nullable out, uint64_t seed, bool simd);
