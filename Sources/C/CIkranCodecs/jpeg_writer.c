#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "CIkranCodecs.h"

struct ikran_jpeg_writer {
  struct jpeg_compress_struct encoder;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  unsigned char *bytes;
  unsigned long count;
  ikran_fault fault;
};

static void on_error(j_common_ptr encoder) {
  ikran_jpeg_writer *writer = encoder->client_data;
  writer->fault.kind = IKRAN_FAULT_MALFORMED;
  writer->errors.format_message(encoder, writer->fault.message);
  longjmp(writer->escape, 1);
}

static void on_message(j_common_ptr encoder, int level) {
  (void)encoder;
  (void)level;
}

static void start(ikran_jpeg_writer *writer, ikran_jpeg_settings settings) {
  j_compress_ptr encoder = &writer->encoder;
  jpeg_create_compress(encoder);
  jpeg_mem_dest(encoder, &writer->bytes, &writer->count);
  encoder->image_width = settings.width;
  encoder->image_height = settings.height;
  encoder->input_components = settings.channels;
  encoder->in_color_space = settings.channels == 1 ? JCS_GRAYSCALE : JCS_EXT_BGRX;
  jpeg_set_defaults(encoder);  // 4:2:0
  jpeg_set_quality(encoder, settings.quality, TRUE);
  encoder->optimize_coding = settings.is_optimized ? TRUE : FALSE;
  encoder->dct_method = JDCT_ISLOW;
  jpeg_start_compress(encoder, TRUE);
}

ikran_jpeg_writer *ikran_jpeg_write_open(ikran_jpeg_settings settings) {
  ikran_jpeg_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->encoder.err = jpeg_std_error(&writer->errors);
  writer->errors.error_exit = on_error;
  writer->errors.emit_message = on_message;
  writer->encoder.client_data = writer;
  // The fault is there for the first row.
  if (!setjmp(writer->escape)) start(writer, settings);
  return writer;
}

const ikran_fault *ikran_jpeg_write_fault(const ikran_jpeg_writer *writer) {
  return &writer->fault;
}

int ikran_jpeg_write_row(ikran_jpeg_writer *writer, const uint8_t *row) {
  if (writer->fault.kind != IKRAN_FAULT_NONE || setjmp(writer->escape)) return 0;
  JSAMPROW rows = (JSAMPROW)row;
  jpeg_write_scanlines(&writer->encoder, &rows, 1);
  return 1;
}

const uint8_t *ikran_jpeg_write_finish(ikran_jpeg_writer *writer, size_t *count) {
  *count = 0;
  if (writer->fault.kind != IKRAN_FAULT_NONE || setjmp(writer->escape)) return NULL;
  jpeg_finish_compress(&writer->encoder);
  *count = writer->count;
  return writer->bytes;
}

void ikran_jpeg_write_close(ikran_jpeg_writer *writer) {
  if (!writer) return;
  // The destination may reallocate until the end, so only its own pointer is valid.
  if (writer->encoder.dest) writer->encoder.dest->term_destination(&writer->encoder);
  jpeg_destroy_compress(&writer->encoder);
  free(writer->bytes);
  free(writer);
}
