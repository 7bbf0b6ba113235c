#pragma once
#include "ikran_svg.h"
#include <stddef.h>
#include <stdint.h>

// libjpeg and libpng report errors with longjmp, which must never cross a Swift frame. Each
// function here catches it and returns 0; the reason is then in the object's fault.

typedef enum {
  IKRAN_FAULT_NONE = 0,
  IKRAN_FAULT_MALFORMED,
  IKRAN_FAULT_TRUNCATED,
  IKRAN_FAULT_MEMORY,
  IKRAN_FAULT_SCANS,
  IKRAN_FAULT_UNSUPPORTED,
} ikran_fault_kind;

typedef struct {
  ikran_fault_kind kind;
  size_t offset;         // bytes consumed when it happened
  int64_t value, limit;  // scans of the picture, and their limit
  char message[208];     // the library's message
} ikran_fault;

// JPEG decoding.

typedef struct ikran_jpeg_reader ikran_jpeg_reader;

typedef struct {
  uint32_t width, height;  // of the rows to be read
  int is_cmyk;             // rows are CMYK where 255 is no ink, not blue, green, red, 255
} ikran_jpeg_rows;

/// Opens `count` bytes at `bytes`, which must outlive the reader; NULL when there is no memory.
ikran_jpeg_reader *_Nullable ikran_jpeg_open(const uint8_t *_Nonnull bytes, size_t count,
                                             size_t memory_limit, int64_t work_limit);
/// Before the start: what is missing of a file that is cut off is no error.
void ikran_jpeg_accept_cut(ikran_jpeg_reader *_Nonnull reader);
/// How many of the first rows of a file that is cut off are there, as far as is known when all rows
/// before them were decoded; UINT32_MAX when all are.
uint32_t ikran_jpeg_rows_there(const ikran_jpeg_reader *_Nonnull reader);
const ikran_fault *_Nonnull ikran_jpeg_fault(const ikran_jpeg_reader *_Nonnull reader);
/// Reads the headers and starts to decode at `eighths`/8 of the size.
int ikran_jpeg_start(ikran_jpeg_reader *_Nonnull reader, unsigned eighths,
                     ikran_jpeg_rows *_Nonnull rows);
/// Narrows rows to a multiple of blocks that holds the given columns; both are updated.
int ikran_jpeg_crop(ikran_jpeg_reader *_Nonnull reader, uint32_t *_Nonnull x,
                    uint32_t *_Nonnull width);
int ikran_jpeg_skip(ikran_jpeg_reader *_Nonnull reader, uint32_t rows);
/// Decodes the next row: four bytes per pixel.
int ikran_jpeg_read_row(ikran_jpeg_reader *_Nonnull reader, uint8_t *_Nonnull row);
void ikran_jpeg_close(ikran_jpeg_reader *_Nullable reader);

// PNG decoding.

typedef struct ikran_png_reader ikran_png_reader;

typedef struct {
  uint32_t width, height;
  int is_interlaced;
} ikran_png_rows;

/// Opens `count` bytes at `bytes`, which must outlive the reader; NULL when there is no memory.
ikran_png_reader *_Nullable ikran_png_open(const uint8_t *_Nonnull bytes, size_t count,
                                           uint32_t largest_side);
/// Before the start: the file may be cut off, so its last bytes are read one by one.
void ikran_png_accept_cut(ikran_png_reader *_Nonnull reader);
/// Before the start: no byte is read before it is needed, for a checksum with other data behind it.
void ikran_png_read_byte_by_byte(ikran_png_reader *_Nonnull reader);
/// Before the start: checksums of chunks are not looked at.
int ikran_png_trust(ikran_png_reader *_Nonnull reader);
/// Whether the checksum of the data was found to be wrong; its pixels are read all the same.
int ikran_png_has_wrong_checksum(const ikran_png_reader *_Nonnull reader);
const ikran_fault *_Nonnull ikran_png_fault(const ikran_png_reader *_Nonnull reader);
/// Reads the headers; rows are blue, green, red, straight alpha, whatever the file stores. `shift`,
/// 0 to 3, is for interlaced files only: squares of 2^shift pixels per side become one pixel.
int ikran_png_start(ikran_png_reader *_Nonnull reader, unsigned shift,
                    ikran_png_rows *_Nonnull rows);
/// Decodes the next row of a file that is not interlaced; a NULL row is skipped.
int ikran_png_read_row(ikran_png_reader *_Nonnull reader, uint8_t *_Nullable row);
/// Decodes all rows, interlaced or not.
int ikran_png_read_image(ikran_png_reader *_Nonnull reader, uint8_t *_Nonnull pixels,
                         size_t bytes_per_row, uint32_t height);
/// Reads what is there of an interlaced picture, each pixel as large as the block that it stands for
/// until later passes fill that. Returns how many passes are whole, or -1 for damage.
int ikran_png_read_passes(ikran_png_reader *_Nonnull reader, uint8_t *_Nonnull pixels,
                          size_t bytes_per_row, uint32_t height);
/// Decodes all passes of an interlaced file that was started with a shift, to sums of squares.
int ikran_png_reduce(ikran_png_reader *_Nonnull reader);
/// Row `y` of the reduced picture: the mean of each square, premultiplied.
void ikran_png_reduced_row(const ikran_png_reader *_Nonnull reader, uint32_t y,
                           uint8_t *_Nonnull row);
/// Checks the bytes after the last row; a file may end there.
int ikran_png_finish(ikran_png_reader *_Nonnull reader);
void ikran_png_close(ikran_png_reader *_Nullable reader);

// JPEG encoding.

typedef struct ikran_jpeg_writer ikran_jpeg_writer;

typedef struct {
  uint32_t width, height;
  int channels;      // 1 gray, 4 blue, green, red and an ignored byte
  int quality;       // 1 to 100
  int is_optimized;  // codes that fit the picture, for which all of its coefficients are kept
} ikran_jpeg_settings;

/// Begins a file; NULL when there is no memory for it.
ikran_jpeg_writer *_Nullable ikran_jpeg_write_open(ikran_jpeg_settings settings);
const ikran_fault *_Nonnull ikran_jpeg_write_fault(const ikran_jpeg_writer *_Nonnull writer);
int ikran_jpeg_write_row(ikran_jpeg_writer *_Nonnull writer, const uint8_t *_Nonnull row);
/// Ends a file of which all rows have been written. Its bytes live as long as the writer.
const uint8_t *_Nullable ikran_jpeg_write_finish(ikran_jpeg_writer *_Nonnull writer,
                                                 size_t *_Nonnull count);
void ikran_jpeg_write_close(ikran_jpeg_writer *_Nullable writer);
