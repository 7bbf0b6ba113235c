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

/// What a step does, with the member of ikran_point_step that has the same name.
enum ikran_point_kind {
  /// Changes colours and leaves alpha alone; clamps.
  ikran_point_matrix,
  /// Changes alpha, too, and reads it; takes `matrix`.
  ikran_point_matrix_alpha,
  ikran_point_gamma,
  ikran_point_posterize,
  ikran_point_table,
  ikran_point_vibrance,
  ikran_point_white_balance_tint,
  ikran_point_overlay,
  ikran_point_threshold,
  ikran_point_monochrome,
  ikran_point_chroma_key,
  ikran_point_highlights_shadows,
  ikran_point_haze,
  ikran_point_vignette,
  ikran_point_grain,
  ikran_point_gray,
  ikran_point_cube,
  ikran_point_blend,
  ikran_point_opacity,
  ikran_point_hsl,
};

typedef struct {
  float red, green, blue;
} ikran_rgb;

typedef struct {
  float red, green, blue, alpha;
} ikran_rgba;

/// What a channel becomes: the sum of all, each times its factor, and of the offset.
typedef struct {
  float red, green, blue, alpha, offset;
} ikran_matrix_row;

typedef struct {
  ikran_matrix_row red, green, blue, alpha;
} ikran_matrix;

/// A colour, and how much of the result it is.
typedef struct {
  ikran_rgb color;
  float share;
} ikran_tint;

/// Values between which lines lie.
typedef struct {
  const float *_Nullable values;
  /// The number of them along each dimension.
  int32_t side;
  /// How much of the result comes from the table.
  float share;
  /// The colour of the first values, and factors of the distance from it: 1 is that of the last.
  ikran_rgb low, factor;
} ikran_lookup;

typedef struct {
  enum ikran_point_kind kind;
  union {
    ikran_matrix matrix;
    /// The exponent.
    float gamma;
    /// The number of levels above black.
    float posterize;
    /// `side` values of red, then of green and of blue.
    ikran_lookup table;
    /// The amount, positive for more colour.
    float vibrance;
    /// What is added to the third value of YIQ.
    float white_balance_tint;
    ikran_tint overlay;
    /// The luma from which a pixel is white.
    float threshold;
    /// The colour is overlaid with luma.
    ikran_tint monochrome;
    struct {
      /// The chroma of the key.
      float blue, red;
      float threshold, smoothing;
      /// Straight.
      ikran_rgba replacement;
    } chroma_key;
    /// How much darker highlights are, and how much lighter shadows.
    struct {
      float highlights, shadows;
    } highlights_shadows;
    /// The slope is per height.
    struct {
      float distance, slope;
    } haze;
    /// The centre is a fraction of the width and of the height.
    struct {
      float start, end, x, y;
      ikran_rgb color;
    } vignette;
    /// The amount.
    float grain;
    /// 0 for the mean of the largest and the smallest channel, 1 for the largest, 2 the smallest.
    int32_t gray;
    /// side³ colours of four floats, red fastest.
    ikran_lookup cube;
    struct {
      /// Premultiplied BGRA of the picture's size, or NULL for one colour.
      const uint8_t *_Nullable pixels;
      size_t stride;
      /// Straight.
      ikran_rgba color;
      int32_t mode;
      float share;
      /// Whether the alpha below stays.
      bool keeps_alpha;
    } blend;
    /// The factor of alpha.
    float opacity;
    /// The turn is in twelfths; the others are -1 (nothing left) to 1 (as much as there can be).
    struct {
      float turn, saturation, lightness;
    } hsl;
  };
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

/// What a channel becomes: factors and a level with 12 fractional bits, and half a level more.
typedef struct {
  int16_t red, green, blue;
  int32_t offset;
} ikran_point_fixed_row;

typedef struct {
  ikran_point_fixed_row red, green, blue;
} ikran_point_fixed_matrix;

/// Multiplies opaque pixels by a matrix, in place.
void ikran_point_fixed_matrix_row(const ikran_point_fixed_matrix *_Nonnull matrix,
                                  uint8_t *_Nonnull pixels, size_t width, bool simd);

/// What a channel becomes: factors with 13 fractional bits, and an offset with 32 steps for each
/// level of 255. The sum of all magnitudes is at most 4.
typedef struct {
  int16_t red, green, blue, offset;
} ikran_point_short_row;

typedef struct {
  ikran_point_short_row red, green, blue;
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
