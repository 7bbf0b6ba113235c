#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Rows of pixels from one colour space to another. Pixels have four bytes: blue, green, red and one
// that stays. Where `opaque` is false that is alpha, by which the colours are multiplied: they are
// divided by it, converted and multiplied again. The bytes are the same with `simd` and without.

/// The index of full light in the levels of `ikran_color_matrix_row`.
enum { IKRAN_COLOR_LEVELS = 16384, IKRAN_COLOR_SHIFT = 12 };

/// Three curves, a matrix and a curve.
///
/// @param light For each value of blue, then green, then red, what it adds to the light of blue, green
///   and red, and a zero: 3 · 256 · 4 numbers, `(IKRAN_COLOR_LEVELS - 1) << IKRAN_COLOR_SHIFT` for full
///   light; three of them fit 32 bits.
/// @param levels The byte for each of `IKRAN_COLOR_LEVELS` levels of light.
void ikran_color_matrix_row(const int32_t *_Nonnull light, const uint8_t *_Nonnull levels,
                            uint8_t *_Nonnull pixels, size_t width, bool opaque, bool simd);

/// Replaces pixels by what a table has for their green; its fourth byte is zero.
void ikran_color_gray_row(const uint32_t *_Nonnull colors, uint8_t *_Nonnull pixels, size_t width,
                          bool opaque, bool simd);

/// What one node is in a place.
enum { IKRAN_COLOR_NODE = 32768 };

/// Colours at the nodes of a grid of three or four dimensions.
typedef struct {
  /// Blue, green, red and a zero for each node, 32640 for 255.
  const int16_t *_Nonnull nodes;
  /// For each dimension, in the order of the bytes of a pixel, where 256 bytes lie between two nodes:
  /// the distance of the lower from the grid's start, in nodes, times `IKRAN_COLOR_NODE`, and the
  /// way to the next, up to 16384.
  const uint32_t *_Nonnull places;
  /// The distance of neighbours in each dimension, in nodes.
  int32_t steps[4];
} ikran_color_grid;

/// Interpolates in the tetrahedron around each pixel.
void ikran_color_grid_row(const ikran_color_grid *_Nonnull grid, uint8_t *_Nonnull pixels,
                          size_t width, bool opaque, bool simd);

/// Converts samples of four inks, `complement` ^ ink, to opaque pixels, in place or not: tetrahedra of
/// the first three, a line between those of the fourth.
void ikran_color_inks_row(const ikran_color_grid *_Nonnull grid, const uint8_t *_Nonnull inks,
                          uint8_t complement, uint8_t *_Nonnull pixels, size_t width, bool simd);
