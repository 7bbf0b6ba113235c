#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../simd.h"

// The filters of rows (PNG 3rd edition, section 9).
enum { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH };

#ifdef __x86_64__
/// Rows in a wavefront, and the fewest pixels that they must have.
enum { WAVE_ROWS = 8, WAVE_WIDTH = 16 };

/// Unfilters eight rows of `width` pixels, 1 to 4 bytes each, at once; of those behind the first
/// `rows` nothing matters. Parameters are those of ikran_png_unfilter.
void ikran_png_wave(const uint8_t *in, size_t bytes, size_t rows, size_t pixel, uint8_t *out,
                    size_t stride);
#endif
