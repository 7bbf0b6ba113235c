// The peers that Ikran is measured against, and a few system calls that Swift cannot make.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stores.h"

#pragma clang assume_nonnull begin

/// Nanoseconds of a monotonic clock.
uint64_t peers_nanoseconds(void);
/// A count that grows evenly with time, cheaper to read than the clock; earlier work is over.
uint64_t peers_ticks(void);
/// Processor time of this process so far, user and system, in nanoseconds.
uint64_t peers_cpu_nanoseconds(void);
/// Blocks that the calling thread has asked the allocator for since it began.
uint64_t peers_allocations(void);
/// Counts from now on what all threads ask for, from zero, or no longer.
void peers_count(bool counts);
/// Blocks that all threads have asked the allocator for while that was counted.
uint64_t peers_counted_allocations(void);
/// Mutexes that all threads have locked while that was counted.
uint64_t peers_counted_locks(void);
/// Keeps the optimiser from removing the computation of `value`.
void peers_consume(const void *_Nullable value);

/// Calls `body` with each index below `threads`, each on a separate thread, and waits for all.
///
/// Dispatch would run them one after the other when its pool is busy.
bool peers_in_parallel(
  int threads, void (*body)(void *_Nullable context, int index), void *_Nullable context);

/// Decodes a PNG file with libpng, row by row, to four bytes per pixel, and drops the rows.
bool peers_png_decode(const uint8_t *bytes, size_t count);

/// The library of a format, such as "avif"; null where Ikran's reader is its own.
const char *_Nullable peers_format_library(const char *format);

/// Decodes a picture with that library alone, on one thread, to four bytes per pixel of its own size; a
/// drawing to `side` pixels.
bool peers_format_decode(const char *format, const uint8_t *bytes, size_t count, int side);

/// Writes a HEIC file of blue, green, red and unused bytes.
///
/// Returns its length; 0 where libheif has no encoder, or there is no room.
size_t peers_heic_encode(
  const uint8_t *pixels, int width, int height, int stride, int quality, uint8_t *bytes, size_t capacity);

/// A conventional thumbnailer in C: libjpeg-turbo at a reduced scale, Lanczos-3 with AVX2, corners.
typedef struct peers_jpeg peers_jpeg;
peers_jpeg *_Nullable peers_jpeg_create(void);
void peers_jpeg_destroy(peers_jpeg *peer);
/// Writes a square of `side` × `side` premultiplied BGRA pixels, cut from the centre of the photo.
///
/// Decodes at the smallest 1/8, 2/8, 4/8 or 8/8 whose shorter side is at least `factor` × `side`.
/// A negative radius leaves the corners alone.
bool peers_jpeg_thumbnail(
  peers_jpeg *peer, const uint8_t *bytes, size_t count, int side, int factor, double radius,
  uint8_t *pixels);

/// The same JPEG file with progressive scans, its coefficients unchanged; NULL when that is
/// impossible. The caller frees it.
uint8_t *_Nullable peers_jpeg_progressive(const uint8_t *bytes, size_t count, size_t *size);

/// A JPEG file of quality 85 with `across × down` copies of a picture of four bytes per pixel, and with a
/// restart marker after every so many rows of MCUs, 0 for none; NULL when that is impossible. The caller
/// frees it.
uint8_t *_Nullable peers_jpeg_tiled(
  const uint8_t *pixels, size_t stride, int width, int height, int across, int down,
  int restart_rows, size_t *size);
/// The same as a PNG file of RGB, whose rows have the Paeth filter.
uint8_t *_Nullable peers_png_tiled(
  const uint8_t *pixels, size_t stride, int width, int height, int across, int down, size_t *size);
/// Decodes a rectangle of a JPEG file with jpeg_crop_scanline and jpeg_skip_scanlines, to four bytes
/// per pixel, and drops the rows.
bool peers_jpeg_region(
  const uint8_t *bytes, size_t count, int x, int y, int width, int height);
/// Makes the peak of resident memory what is resident now; false where the system cannot.
bool peers_reset_peak(void);
/// The peak of resident memory in bytes.
size_t peers_peak(void);

/// Loads libvips when it is installed; false when it is not.
bool peers_vips_load(void);
/// The version of the libvips that was loaded, such as 8.14.1.
const char *peers_vips_version(void);
/// The same square by vips_thumbnail_buffer with a centre crop; corners stay.
bool peers_vips_thumbnail(const uint8_t *bytes, size_t count, int side);

/// Runs a filter of Peers/filters.py's names on rows of RGB without padding, and writes the result to
/// memory of its own; false when libvips is not there or has no such filter.
bool peers_vips_filter(const char *name, const uint8_t *rgb, int width, int height);

/// Writes an ICC profile of Display P3; returns its bytes, 0 when they are more than `room`.
size_t peers_color_profile(uint8_t *out, size_t room);
/// LittleCMS's version, 2140 for 2.14.
int peers_lcms_version(void);
/// Converts pixels of four bytes in place from Display P3 to sRGB with LittleCMS.
bool peers_lcms_convert(uint8_t *pixels, size_t count);
/// Decodes a JPEG file with libjpeg-turbo and converts its pixels so.
bool peers_lcms_decode(const uint8_t *bytes, size_t count);
/// Decodes a file with libvips to a square of at most `side`, its profile's colours converted to sRGB.
bool peers_vips_color(const uint8_t *bytes, size_t count, int side);

/// Loads giflib 5 when it is installed; false when it is not.
bool peers_gif_load(void);
/// Composes all frames of a GIF one after the other and leaves the last one in `pixels`:
/// premultiplied BGRA, rows without padding; false when it is damaged or has more than `capacity`
/// bytes of pixels.
bool peers_gif_compose(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity);
/// The same for a WebP file, with libwebp's WebPAnimDecoder on one thread.
bool peers_webp_compose(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity);

/// Called on the fetcher's thread with the size of a complete body; 0 for a failure.
typedef void (*peers_fetched)(void *context, size_t length);
/// Starts a thread with libcurl's multi interface and nothing around it, once in a process.
bool peers_fetcher_start(int connections, peers_fetched done);
/// Fetches a body, frees it when it is complete, and calls back.
void peers_fetcher_fetch(const char *url, void *context);

/// A program that responds to each line with one line.
typedef struct peers_child peers_child;
/// `arguments` starts with the program and ends with NULL.
peers_child *_Nullable peers_child_start(char *_Nullable const *_Nonnull arguments);
/// Sends `line` and waits for the response; false when the program has ended.
bool peers_child_ask(peers_child *child, const char *line, char *answer, size_t capacity);
/// Closes the program's input and waits for its end.
void peers_child_stop(peers_child *child);

#pragma clang assume_nonnull end
