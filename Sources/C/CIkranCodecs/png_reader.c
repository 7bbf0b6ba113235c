#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "png_reader.h"

// What zlib says when only the checksum after all data is wrong.
static const char wrong_checksum[] = "incorrect data check";

static void on_error(png_structp decoder, png_const_charp message) {
  ikran_png_reader *reader = png_get_error_ptr(decoder);
  if (strstr(message, wrong_checksum)) reader->has_wrong_checksum = 1;
  if (reader->fault.kind == IKRAN_FAULT_NONE) {
    reader->fault.kind = strstr(message, "memory") ? IKRAN_FAULT_MEMORY : IKRAN_FAULT_MALFORMED;
    strncpy(reader->fault.message, message, sizeof reader->fault.message - 1);
  }
  reader->fault.offset = reader->offset;
  png_longjmp(decoder, 1);
}

static void on_warning(png_structp decoder, png_const_charp message) {
  ikran_png_reader *reader = png_get_error_ptr(decoder);
  if (strstr(message, wrong_checksum)) reader->has_wrong_checksum = 1;
}

static void on_read(png_structp decoder, png_bytep target, size_t count) {
  ikran_png_reader *reader = png_get_io_ptr(decoder);
  if (count > reader->count - reader->offset) {
    reader->offset = reader->count;
    reader->fault.kind = IKRAN_FAULT_TRUNCATED;
    png_error(decoder, "the file ends too early");
  }
  memcpy(target, reader->bytes + reader->offset, count);
  reader->offset += count;
  if (reader->checksum == 0) return;
  // zlib refuses the last pixels if it is given them together with a wrong checksum after them. An
  // option of libpng for that (PNG_IGNORE_ADLER32) is not in each distribution's.
  const size_t piece = 8192;
  const size_t left = reader->offset < reader->checksum ? reader->checksum - reader->offset : piece;
  png_set_compression_buffer_size(decoder, left < piece ? left : piece);
}

// Where the checksum of the data begins; 0 where that is not known. If an empty chunk or a part of
// the checksum is the last one, it is where the last one begins that is not empty.
static size_t find_checksum(const ikran_png_reader *reader) {
  const size_t around = 12;  // length, type and checksum of a chunk
  size_t found = 0, at = 8;
  while (at <= reader->count && reader->count - at >= around) {
    const uint8_t *chunk = reader->bytes + at;
    const size_t length = png_get_uint_32(chunk);
    if (length > reader->count - at - around) break;
    if (length > 0 && memcmp(chunk + 4, "IDAT", 4) == 0)
      found = at + 8 + (length > 4 ? length - 4 : 0);
    at += around + length;
  }
  return found;
}

ikran_png_reader *ikran_png_open(const uint8_t *bytes, size_t count, uint32_t largest_side) {
  // Compressed and unused metadata is skipped without reading it.
  static const png_byte skipped[] = "iCCP\0zTXt\0iTXt\0tEXt\0sPLT\0hIST\0eXIf\0pCAL\0sCAL\0tIME\0"
                                    "gAMA\0cHRM\0sRGB\0bKGD\0pHYs\0oFFs\0sBIT";
  ikran_png_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->bytes = bytes;
  reader->count = count;
  reader->checksum = find_checksum(reader);
  reader->decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
  if (!reader->decoder) {
    free(reader);
    return NULL;
  }
  if (setjmp(png_jmpbuf(reader->decoder))) {
    ikran_png_close(reader);
    return NULL;
  }
  reader->info = png_create_info_struct(reader->decoder);
  if (!reader->info) png_error(reader->decoder, "out of memory");
  png_set_read_fn(reader->decoder, reader, on_read);
  png_set_user_limits(reader->decoder, largest_side, largest_side);
  // The stream may say that its distances are shorter than they are.
  png_set_option(reader->decoder, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
  png_set_chunk_cache_max(reader->decoder, 64);
  png_set_chunk_malloc_max(reader->decoder, 0);  // no allocation of a size that the file chooses
  png_set_keep_unknown_chunks(reader->decoder, PNG_HANDLE_CHUNK_NEVER, skipped, sizeof skipped / 5);
  return reader;
}

void ikran_png_accept_cut(ikran_png_reader *reader) {
  reader->accepts_cut = 1;
  reader->checksum = 0;
}

void ikran_png_read_byte_by_byte(ikran_png_reader *reader) {
  reader->checksum = 0;
  png_set_compression_buffer_size(reader->decoder, 1);
}

int ikran_png_trust(ikran_png_reader *reader) {
  if (setjmp(png_jmpbuf(reader->decoder))) return 0;
  png_set_crc_action(reader->decoder, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  return 1;
}

int ikran_png_has_wrong_checksum(const ikran_png_reader *reader) {
  return reader->has_wrong_checksum;
}

const ikran_fault *ikran_png_fault(const ikran_png_reader *reader) { return &reader->fault; }

int ikran_png_start(ikran_png_reader *reader, unsigned shift, ikran_png_rows *rows) {
  png_structp decoder = reader->decoder;
  if (setjmp(png_jmpbuf(decoder))) return 0;
  png_read_info(decoder, reader->info);
  png_set_expand(decoder);
  png_set_scale_16(decoder);
  png_set_gray_to_rgb(decoder);
  png_set_bgr(decoder);
  png_set_add_alpha(decoder, 0xFF, PNG_FILLER_AFTER);
  rows->is_interlaced = png_get_interlace_type(decoder, reader->info) != PNG_INTERLACE_NONE;
  // Without it libpng delivers the passes separately.
  reader->shift = rows->is_interlaced ? shift : 0;
  if (reader->shift == 0) png_set_interlace_handling(decoder);
  png_read_update_info(decoder, reader->info);
  rows->width = png_get_image_width(decoder, reader->info);
  rows->height = png_get_image_height(decoder, reader->info);
  if (png_get_rowbytes(decoder, reader->info) != (size_t)rows->width * 4)
    png_error(decoder, "rows do not have four bytes a pixel");
  return 1;
}

int ikran_png_read_row(ikran_png_reader *reader, uint8_t *row) {
  if (setjmp(png_jmpbuf(reader->decoder))) return 0;
  if (reader->accepts_cut) {
    // libpng reads pieces, and nothing of one that is not all there.
    const size_t piece = 8192, left = reader->count - reader->offset;
    png_set_compression_buffer_size(reader->decoder, left > 2 * piece ? piece : 1);
  }
  png_read_row(reader->decoder, row, NULL);
  return 1;
}

int ikran_png_read_image(ikran_png_reader *reader, uint8_t *pixels, size_t bytes_per_row,
                         uint32_t height) {
  if (setjmp(png_jmpbuf(reader->decoder))) return 0;
  for (int pass = png_set_interlace_handling(reader->decoder); pass > 0; pass--)
    for (uint32_t y = 0; y < height; y++)
      png_read_row(reader->decoder, pixels + (size_t)y * bytes_per_row, NULL);
  return 1;
}

int ikran_png_finish(ikran_png_reader *reader) {
  if (setjmp(png_jmpbuf(reader->decoder))) return reader->fault.kind == IKRAN_FAULT_TRUNCATED;
  png_read_end(reader->decoder, NULL);
  return 1;
}

void ikran_png_close(ikran_png_reader *reader) {
  if (!reader) return;
  png_destroy_read_struct(&reader->decoder, &reader->info, NULL);
  free(reader->sums);
  free(reader->row);
  free(reader);
}
