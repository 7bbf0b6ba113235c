#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "CIkranCodecs.h"

struct ikran_jpeg_reader {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf escape;
  size_t count, readable;  // bytes of the file, and those before half a marker at its end
  unsigned components;     // a bit for each one whose scan has begun
  int64_t work, work_limit;  // estimated nanoseconds of the scans without data
  int ended;  // the decoder requested bytes after the last one
  int accepts_cut;
  int cut_scan;  // the scan whose data ended; 0 while none has
  uint32_t cut_row;  // the row of MCUs in which it did
  ikran_fault fault;
};

// Stands for the end of a file. An arithmetic coder leaves out zeros at the end of its data, which
// are two or three with those that its decoder reads ahead; it asks for many where data is missing.
#define ZEROS 4
static const JOCTET end_of_file[ZEROS + 2] = {[ZEROS] = 0xFF, [ZEROS + 1] = JPEG_EOI};

static void leave(ikran_jpeg_reader *reader, ikran_fault_kind kind) {
  reader->fault.kind = kind;
  reader->fault.offset =
      reader->ended ? reader->count : reader->readable - reader->source.bytes_in_buffer;
  longjmp(reader->escape, 1);
}

static void on_error(j_common_ptr decoder) {
  ikran_jpeg_reader *reader = decoder->client_data;
  int code = decoder->err->msg_code;
  decoder->err->format_message(decoder, reader->fault.message);
  if (code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE) leave(reader, IKRAN_FAULT_MEMORY);
  if (code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED || code == JERR_CONVERSION_NOTIMPL ||
      code == JERR_CCIR601_NOTIMPL || code == JERR_FRACT_SAMPLE_NOTIMPL || code == JERR_NOTIMPL)
    leave(reader, IKRAN_FAULT_UNSUPPORTED);
  leave(reader, reader->ended ? IKRAN_FAULT_TRUNCATED : IKRAN_FAULT_MALFORMED);
}

static void note_cut(ikran_jpeg_reader *reader) {
  if (reader->cut_scan) return;
  reader->cut_scan = reader->decoder.input_scan_number;
  reader->cut_row = reader->decoder.input_iMCU_row;
}

// Damaged data is decoded as far as possible; missing data at the end is an error.
static void on_message(j_common_ptr decoder, int level) {
  ikran_jpeg_reader *reader = decoder->client_data;
  int code = decoder->err->msg_code;
  if (level >= 0 || !reader->ended || (code != JWRN_HIT_MARKER && code != JWRN_MUST_RESYNC)) return;
  if (!reader->accepts_cut) leave(reader, IKRAN_FAULT_TRUNCATED);
  note_cut(reader);
}

static void on_source(j_decompress_ptr decoder) { (void)decoder; }

// A picture may lack its last two bytes, when nothing else is missing.
static boolean on_empty(j_decompress_ptr decoder) {
  ikran_jpeg_reader *reader = decoder->client_data;
  int zeros = decoder->arith_code && decoder->input_scan_number > 0 ? ZEROS : 0;
  reader->ended = 1;
  // Arithmetic decoding does not tell.
  if (reader->accepts_cut && zeros) note_cut(reader);
  decoder->src->next_input_byte = end_of_file + ZEROS - zeros;
  decoder->src->bytes_in_buffer = 2 + (size_t)zeros;
  return TRUE;
}

// The arithmetic decoder does not say that it reads beyond its data.
static void check_zeros(ikran_jpeg_reader *reader) {
  if (!reader->accepts_cut && reader->ended && reader->decoder.arith_code && reader->source.bytes_in_buffer <= 2)
    leave(reader, IKRAN_FAULT_TRUNCATED);
}

// Of a file without an end marker, each coefficient must be there to its last bit.
static void check_scans(ikran_jpeg_reader *reader) {
  if (reader->accepts_cut) return;
  j_decompress_ptr decoder = &reader->decoder;
  int isWhole = reader->components == (1u << decoder->num_components) - 1;
  for (int i = 0; decoder->progressive_mode && i < decoder->num_components; i++)
    for (int k = 0; k < DCTSIZE2; k++) isWhole = isWhole && decoder->coef_bits[i][k] == 0;
  if (!isWhole) leave(reader, IKRAN_FAULT_TRUNCATED);
}

static void on_skip(j_decompress_ptr decoder, long count) {
  if (count <= 0) return;
  size_t left = decoder->src->bytes_in_buffer;
  if ((size_t)count > left) on_empty(decoder);
  else decoder->src->next_input_byte += count, decoder->src->bytes_in_buffer = left - (size_t)count;
}

// Hundreds of scans over a large picture fit in a small file. Each counts as the longest time
// measured for such a scan without data; the first is always decoded. With Huffman coding, only
// refinement scans visit the coefficients of blocks that the data skips.
static void on_progress(j_common_ptr common) {
  j_decompress_ptr decoder = (j_decompress_ptr)common;
  ikran_jpeg_reader *reader = common->client_data;
  int scans = decoder->input_scan_number;
  if (!jpeg_input_complete(decoder)) check_zeros(reader);
  if (scans == reader->fault.value) return;
  for (int i = 0; i < decoder->comps_in_scan; i++)
    reader->components |= 1u << decoder->cur_comp_info[i]->component_index;
  // These fields have no meaning in a sequential file.
  int each = decoder->progressive_mode ? decoder->Se - decoder->Ss + 1 : DCTSIZE2;
  int64_t blocks = (int64_t)decoder->MCUs_per_row * decoder->MCU_rows_in_scan * decoder->blocks_in_MCU;
  reader->work += blocks * (decoder->arith_code ? 30 + 6 * each : decoder->Ah ? 20 + each : 20);
  reader->fault.value = scans;
  reader->fault.limit = scans - 1;
  if (scans > 500 || (scans > 1 && reader->work > reader->work_limit)) leave(reader, IKRAN_FAULT_SCANS);
}

ikran_jpeg_reader *ikran_jpeg_open(const uint8_t *bytes, size_t count, size_t memory_limit,
                                   int64_t work_limit) {
  ikran_jpeg_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->decoder.err = jpeg_std_error(&reader->errors);
  reader->errors.error_exit = on_error;
  reader->errors.emit_message = on_message;
  reader->decoder.client_data = reader;
  if (setjmp(reader->escape)) {
    ikran_jpeg_close(reader);
    return NULL;
  }
  jpeg_create_decompress(&reader->decoder);
  reader->count = count;
  while (count > 0 && bytes[count - 1] == 0xFF) count--;
  reader->readable = count;
  reader->work_limit = work_limit;
  reader->source.init_source = on_source;
  reader->source.fill_input_buffer = on_empty;
  reader->source.skip_input_data = on_skip;
  reader->source.resync_to_restart = jpeg_resync_to_restart;
  reader->source.term_source = on_source;
  reader->source.next_input_byte = bytes;
  reader->source.bytes_in_buffer = count;
  reader->decoder.src = &reader->source;
  reader->progress.progress_monitor = on_progress;
  reader->decoder.progress = &reader->progress;
  reader->decoder.mem->max_memory_to_use = (long)memory_limit;
  return reader;
}

void ikran_jpeg_accept_cut(ikran_jpeg_reader *reader) { reader->accepts_cut = 1; }

uint32_t ikran_jpeg_rows_there(const ikran_jpeg_reader *reader) {
  const struct jpeg_decompress_struct *decoder = &reader->decoder;
  // Later scans add to what the first one has.
  if (reader->cut_scan != 1) return UINT32_MAX;
#if JPEG_LIB_VERSION >= 70
  const int block = decoder->min_DCT_v_scaled_size;  // as on Ubuntu
#else
  const int block = decoder->min_DCT_scaled_size;
#endif
  const uint32_t height = (uint32_t)(decoder->max_v_samp_factor * block);
  // The last row is interpolated between its chroma and that of the next one.
  return reader->cut_row == 0 ? 0 : reader->cut_row * height - 1;
}

const ikran_fault *ikran_jpeg_fault(const ikran_jpeg_reader *reader) { return &reader->fault; }

int ikran_jpeg_start(ikran_jpeg_reader *reader, unsigned eighths, ikran_jpeg_rows *rows) {
  j_decompress_ptr decoder = &reader->decoder;
  if (setjmp(reader->escape)) return 0;
  jpeg_read_header(decoder, TRUE);
  rows->is_cmyk = decoder->num_components == 4;
  // libjpeg fills the fourth byte with 255 here.
  decoder->out_color_space = rows->is_cmyk ? JCS_CMYK : JCS_EXT_BGRA;
  decoder->dct_method = JDCT_ISLOW;
  decoder->scale_num = eighths;
  decoder->scale_denom = 8;
  jpeg_start_decompress(decoder);
  if (reader->ended && jpeg_has_multiple_scans(decoder)) check_scans(reader);
  rows->width = decoder->output_width;
  rows->height = decoder->output_height;
  return 1;
}

int ikran_jpeg_crop(ikran_jpeg_reader *reader, uint32_t *x, uint32_t *width) {
  if (setjmp(reader->escape)) return 0;
  jpeg_crop_scanline(&reader->decoder, x, width);
  return 1;
}

int ikran_jpeg_skip(ikran_jpeg_reader *reader, uint32_t rows) {
  if (setjmp(reader->escape)) return 0;
  return jpeg_skip_scanlines(&reader->decoder, rows) == rows;
}

int ikran_jpeg_read_row(ikran_jpeg_reader *reader, uint8_t *row) {
  if (setjmp(reader->escape)) return 0;
  if (jpeg_read_scanlines(&reader->decoder, &row, 1) != 1) return 0;
  if (!jpeg_has_multiple_scans(&reader->decoder)) check_zeros(reader);
  return 1;
}

void ikran_jpeg_close(ikran_jpeg_reader *reader) {
  if (!reader) return;
  jpeg_destroy_decompress(&reader->decoder);
  free(reader);
}
