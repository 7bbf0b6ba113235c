#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Filters that see one pixel at a time: a program of steps runs over blocks of pixels as straight
// floats, 0…1, and rounds once, at its end. Opaque pixels have tables and numbers of 16 bits where
// those give the same bytes or one level more or less.

/// The weights of red, green and blue in the luma of filters, in ten-thousandths.
enum { ikran_luma_red = 2125, ikran_luma_green = 7154, ikran_luma_blue = 721 };
/// One of them as a number.
#define IKRAN_LUMA(channel) (ikran_luma_##channel / 1e4f)

/// What a step does; `values` are its numbers in the order named here.
enum ikran_point_kind {
  /// Rows of red, green and blue: three factors and an offset each; clamped.
  ikran_point_matrix,
  /// Rows of red, green, blue and alpha: four factors and an offset each; clamped.
  ikran_point_matrix_alpha,
  /// The exponent.
  ikran_point_gamma,
  /// The number of levels above black.
  ikran_point_posterize,
  /// `table`: values of red, then as many of green and of blue, interpolated linearly; values: how
  /// many each, share, then the domain's three lower bounds and three factors.
  ikran_point_table,
  /// The amount, positive for more colour.
  ikran_point_vibrance,
  /// What is added to the third value of YIQ.
  ikran_point_white_balance_tint,
  /// A colour to overlay, and its share.
  ikran_point_overlay,
  /// The luma from which a pixel is white.
  ikran_point_threshold,
  /// A colour overlaid with luma, and its share.
  ikran_point_monochrome,
  /// Chroma blue and red of the key, threshold, smoothing, and straight RGBA in its place.
  ikran_point_chroma_key,
  /// How much darker highlights are, and how much lighter shadows.
  ikran_point_highlights_shadows,
  /// Distance, and slope per height.
  ikran_point_haze,
  /// Start, end, centre x and y, and the colour.
  ikran_point_vignette,
  /// The amount.
  ikran_point_grain,
  /// 0 for the mean of the largest and the smallest channel, 1 for the largest, 2 the smallest.
  ikran_point_gray,
  /// `table`: side³ colours of four floats, red fastest; values: side, share, then the domain's
  /// three lower bounds and three factors.
  ikran_point_cube,
  /// Mode, share, 1 to keep the alpha below, and the straight RGBA that is blended where there are no
  /// `pixels`.
  ikran_point_blend,
  /// The factor of alpha.
  ikran_point_opacity,
};

typedef struct {
  int32_t kind;
  float values[20];
  const float *_Nullable table;
  /// Premultiplied BGRA of the picture's size.
  const uint8_t *_Nullable pixels;
  size_t stride;
} ikran_point_step;

typedef struct {
  const ikran_point_step *_Nonnull steps;
  size_t count;
  /// 256 values of red, of green and of blue for opaque pixels, after `tabled` of the steps; or
  /// NULL.
  const float *_Nullable entries;
  size_t tabled;
  /// The size of the picture.
  size_t width, height;
  /// Whether fourth bytes stay 255 and are not read.
  bool opaque;
} ikran_point_program;

/// Changes `width` premultiplied BGRA pixels of row `y` in place, from column `x` on.
void ikran_point_row(const ikran_point_program *_Nonnull program, uint8_t *_Nonnull pixels,
                     size_t x, size_t y, size_t width, bool simd);

/// Runs the first `count` steps on the 256 grays, for `entries`; all are steps that treat each
/// channel by itself and everywhere alike.
void ikran_point_entries(const ikran_point_step *_Nonnull steps, size_t count,
                         float *_Nonnull entries, bool simd);

/// Multiplies opaque pixels by three rows of three factors, in place. Rows are those of blue, green and
/// red, their factors of blue, red and green, with 12 fractional bits. Offsets are levels with as many,
/// and half a level more.
void ikran_point_affine_row(const int16_t *_Nonnull factors, const int32_t *_Nonnull offsets,
                            uint8_t *_Nonnull pixels, size_t width, bool simd);

/// Rows of red, green and blue of a matrix: three factors with 13 fractional bits and an offset with
/// 32 steps for each level of 255. The sum of a row's magnitudes is at most 4.
typedef struct {
  int16_t factors[9];
  int16_t offsets[3];
} ikran_point_short_matrix;

/// Multiplies opaque pixels by several matrices in turn, in place, each result clamped.
void ikran_point_matrices_row(const ikran_point_short_matrix *_Nonnull matrices, size_t count,
                              uint8_t *_Nonnull pixels, size_t width, bool simd);

/// Replaces opaque pixels: `table` holds 256 words with a blue byte and alpha, then 256 with a green
/// and 256 with a red one, each byte at its place in a pixel.
void ikran_point_table_row(const uint32_t *_Nonnull table, uint8_t *_Nonnull pixels, size_t width);

/// Whether all pixels of a row are opaque.
bool ikran_point_is_opaque(const uint8_t *_Nonnull pixels, size_t width);

/// base^exponent of the C library.
double ikran_power(double base, double exponent);
