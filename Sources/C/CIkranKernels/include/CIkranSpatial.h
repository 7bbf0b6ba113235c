#pragma once
#include "CIkranKernels.h"

// Filters that look at neighbours or move pixels. Every function with a `simd` argument writes the
// same bytes whether it is true or false.

/// What a filter reads and where it writes: pixels of four bytes, blue, green, red and alpha, the
/// colours premultiplied. Input and output do not overlap.
typedef struct {
  const uint8_t *_Nonnull in;
  ptrdiff_t inStride;
  uint8_t *_Nonnull out;
  ptrdiff_t outStride;
  ptrdiff_t width, height;
} ikran_pass;

// Gaussian blur. Rows between the passes hold channels with 7 fractional bits, as 16-bit integers
// or as floats; weights are never negative, so premultiplied pixels stay premultiplied.

/// e to the power of x.
double ikran_exp(double x);

/// out[i] = (first[i] · firstWeight + last[i] · lastWeight + Σ weights[j] · rows[j][i]) >> shift,
/// rounded to nearest. `count` is even; all weights sum to 2 to the power of shift + 7.
void ikran_blur_rows(const uint8_t *_Nonnull const *_Nonnull rows,
                     const int16_t *_Nonnull weights, size_t count, const uint8_t *_Nonnull first,
                     int32_t firstWeight, const uint8_t *_Nonnull last, int32_t lastWeight,
                     int shift, size_t bytes, int16_t *_Nonnull out, bool simd);

/// out[i] = (Σ weights[j] · rows[j][i]) >> (shift + 7), rounded to nearest; `count` is even and the
/// weights sum to 2 to the power of `shift`.
void ikran_blur_finish_rows(const int16_t *_Nonnull const *_Nonnull rows,
                            const int16_t *_Nonnull weights, size_t count, int shift, size_t values,
                            uint8_t *_Nonnull out, bool simd);

/// Writes `results` pixels: number k = Σ weights[j] · row[k · step + origin + j], where pixels
/// outside the row of `width` count as the nearest inside. `before[j]` is the sum of the first j
/// weights. `wide` is working memory for the row as floats.
void ikran_blur_narrow(const int16_t *_Nonnull row, size_t width, ptrdiff_t step, ptrdiff_t origin,
                       const float *_Nonnull weights, const float *_Nonnull before, size_t taps,
                       float *_Nonnull wide, float *_Nonnull out, size_t results, bool simd);

/// Writes `width` pixels between those of `row`: number x = Σ weights[x % step · taps + j] ·
/// row[(x + step - step / 2) / step + j].
void ikran_blur_widen(const float *_Nonnull row, size_t step, const float *_Nonnull weights,
                      size_t taps, int16_t *_Nonnull out, size_t width, bool simd);

/// The bytes nearest to `values` numbers with 7 fractional bits.
void ikran_blur_round(const int16_t *_Nonnull in, size_t values, uint8_t *_Nonnull out, bool simd);

// Other blurs.

/// Means of squares of 2 · radius + 1 pixels a side, whose outermost pixels count with the fraction
/// of the radius, at most 30000. `memory` holds 24 bytes for each pixel of a row.
void ikran_mean_blur(ikran_pass picture, double radius, void *_Nonnull memory, bool simd);

/// Means along the line to the centre, which is in pixels; a step is `rate` of the distance.
///
/// Nine pixels count with .18, .15, .12, .09 and .05 at 0 to 4 steps either way. Steps longer than
/// a pixel are divided, at most into 16, with weights between those.
void ikran_zoom_blur(ikran_pass picture, double rate, double centerX, double centerY,
                     bool simd);

/// Means of straight colours in a square of 2 · radius + 1, weighted by the distance in pixels, the
/// distance of colours (0…1 a channel), and alpha. Alpha stays.
///
/// `spatial` and `color` are 1 / (2 · sigma²). `memory` holds 16 · (2 · radius + 1) bytes for each
/// pixel of a row with 2 · radius + 17 pixels more, and 4 · (radius + 1).
void ikran_bilateral(ikran_pass picture, ptrdiff_t radius, double spatial, double color,
                     void *_Nonnull memory, bool simd);

/// The mean of that one of four squares of `radius + 1` pixels around each pixel whose colours vary
/// least. Alpha stays; pixels count as much as their alpha.
///
/// `memory` holds 16 · (radius + 1) bytes for each pixel of a row with radius pixels more, and 20 for
/// each pixel of a row.
void ikran_kuwahara(ikran_pass picture, ptrdiff_t radius, void *_Nonnull memory, bool simd);

/// The mean colour of the most frequent of `levels` brightnesses (at most 256) in a square of
/// 2 · radius + 1 pixels, mixed with the pixel by `intensity`. Alpha stays.
///
/// `memory` holds a byte for each pixel.
void ikran_oil(ikran_pass picture, ptrdiff_t radius, int levels, double intensity,
               void *_Nonnull memory, bool simd);

// Three by three pixels. A neighbour counts as drawn over this pixel's straight colour, so nothing
// comes from clear ones. Alpha stays. `memory` holds 64 bytes for each pixel of a row and two more.

/// Σ weights[i] · neighbour i, from top left, row by row.
void ikran_convolve(ikran_pass picture, const float *_Nonnull weights, void *_Nonnull memory,
                    bool simd);

/// `base` + `amount` times Sobel's gradient of the luma, as a gray.
void ikran_sobel(ikran_pass picture, float base, float amount, void *_Nonnull memory,
                 bool simd);

/// Black where Sobel's gradient is at least `threshold`; colours rounded to `levels` + 1 values.
void ikran_toon(ikran_pass picture, float levels, float threshold, void *_Nonnull memory,
                bool simd);

/// Canny's edges in opaque white on black: of the pixels whose gradient (as `ikran_sobel`'s) is the
/// largest across the edge, those that reach `high`, and those that reach `low` and hang together
/// with them. A picture has fewer than 2 to the power of 32 pixels.
///
/// `memory` holds 5 bytes for each pixel, and 24 for each pixel of a row and two more.
void ikran_canny(ikran_pass picture, float low, float high, void *_Nonnull memory, bool simd);

// Moved pixels.

/// Pixel (x, y) becomes the pixel (columns[x], rows[y]).
void ikran_pick(ikran_pass picture, const int32_t *_Nonnull columns,
                const int32_t *_Nonnull rows);

/// Pixel (x, y) becomes itself · (1 - weight) + the bilinear mean at (columns[x], rows[y]) ·
/// weight; whole coordinates are the centres of pixels, and all lie inside the picture.
void ikran_move(ikran_pass picture, const double *_Nonnull columns,
                const double *_Nonnull rows, float weight, bool simd);

/// Turns pixels around the middle by (1 - distance / radius)² · angle radians.
void ikran_swirl(ikran_pass picture, double radius, double angle, bool simd);

/// Black dots on white, one in each square of `cell` pixels, with a radius of half a cell times the
/// darkness of the square's middle pixel over white. Alpha stays.
void ikran_halftone(ikran_pass picture, double cell, bool simd);

/// Moves the red of row y by red[y] pixels and its blue by blue[y]. What is moved is drawn over the
/// pixel's own channel, so nothing comes from clear pixels. Alpha stays.
void ikran_shift_channels(ikran_pass picture, const double *_Nonnull red,
                          const double *_Nonnull blue, bool simd);

/// How pixels move along lines through a centre.
enum ikran_warp_kind {
  /// From (1 - nearness · amount)² of the distance, where nearness is 1 - distance / radius.
  ikran_warp_bulge,
  /// From 1 + nearness · amount of the distance.
  ikran_warp_pinch,
  /// From amount · sin(distance · rate + phase) farther away, at every distance.
  ikran_warp_ripple,
};

/// Places and lengths are in pixels; the centre of the first pixel is (0, 0).
typedef struct {
  enum ikran_warp_kind kind;
  double x, y;
  /// Above 0; pixels from there on stay, but for ripples.
  double radius;
  double amount, rate, phase;
} ikran_warp_shape;

/// Moves pixels to or from a centre.
void ikran_warp(ikran_pass picture, ikran_warp_shape shape, bool simd);

/// A ball of glass in front of the picture; places and lengths are in pixels, the centre of the
/// first pixel is (0, 0).
typedef struct {
  double x, y;
  /// Above 0.
  double radius;
  /// The index of air over that of the glass, 0 or more, below 1.
  double ratio;
} ikran_sphere;

/// Draws the whole picture upside down in a circle: light bends in it by Snell's law, and so much
/// that the rim shows the picture's edge. It is darker towards the rim.
void ikran_glass_sphere(ikran_pass picture, ikran_sphere sphere, bool simd);

/// Where pixel (x, y) comes from: (xx · x + xy · y + left, yx · x + yy · y + top).
typedef struct {
  double xx, xy, left, yx, yy, top;
} ikran_affine;

/// Moves all pixels; what comes from outside the picture is clear.
void ikran_transform(ikran_pass picture, ikran_affine matrix, bool simd);

// Patterns. Alpha stays. Pixels are in square cells of `cell` pixels, 1 or more; `memory` holds 32
// bytes for each pixel of a row.

/// Discs of the mean colour of each cell on black, `size` of the cell in diameter.
void ikran_polka(ikran_pass picture, double cell, double size, void *_Nonnull memory);

/// The nearest of `count` colours to the mean colour of each cell; a colour is blue, green, red and
/// a byte that is not read.
void ikran_reduce_colors(ikran_pass picture, double cell, const uint8_t *_Nonnull colors,
                         int count, void *_Nonnull memory);

/// Slanted black lines on white, in four layers, the more the darker it is.
///
/// `spacing`, above 0, is their distance along a row in pixels, `width` their own.
void ikran_crosshatch(ikran_pass picture, double spacing, double width);

/// A block inside the picture that shows what is `shift` pixels, 0 or more, to its right; after the
/// right edge comes the left one.
typedef struct {
  ptrdiff_t left, top, width, height, shift;
} ikran_moved_block;

/// Moves blocks, the last above the others.
void ikran_move_blocks(ikran_pass picture, const ikran_moved_block *_Nonnull blocks,
                       size_t count);

// Ranks: the channels, alpha too, are ordered by themselves; edge pixels are repeated outside.

/// The largest or the smallest of a square of 2 · radius + 1 pixels a side.
///
/// `memory` holds 384 bytes for each pixel of the longer side.
void ikran_extremes(ikran_pass picture, ptrdiff_t radius, bool largest, void *_Nonnull memory);

/// The median of a square of 2 · radius + 1 pixels a side; a pixel takes as long as the radius.
void ikran_median(ikran_pass picture, ptrdiff_t radius);
/// The median for a radius of 1 or 2, in a small part of the time. `memory` holds 2 · radius + 1 rows, each
/// of width + 2 · radius + 8 pixels.
void ikran_small_median(ikran_pass picture, ptrdiff_t radius, void *_Nonnull memory, bool simd);
