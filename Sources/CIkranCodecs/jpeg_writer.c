#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "CIkranCodecs.h"

typedef struct {
  struct jpeg_compress_struct encoder;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  unsigned char *bytes;
  unsigned long count;
} writer;

static void on_error(j_common_ptr encoder) {
  writer *state = encoder->client_data;
  longjmp(state->escape, 1);
}

static void on_message(j_common_ptr encoder, int level) {
  (void)encoder;
  (void)level;
}

static void write_picture(writer *state, ikran_picture picture, int channels, int quality) {
  j_compress_ptr encoder = &state->encoder;
  jpeg_create_compress(encoder);
  jpeg_mem_dest(encoder, &state->bytes, &state->count);
  encoder->image_width = picture.width;
  encoder->image_height = picture.height;
  encoder->input_components = channels;
  encoder->in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_EXT_BGRX;
  jpeg_set_defaults(encoder);  // 4:2:0
  jpeg_set_quality(encoder, quality, TRUE);
  encoder->optimize_coding = TRUE;
  encoder->dct_method = JDCT_ISLOW;
  jpeg_start_compress(encoder, TRUE);
  while (encoder->next_scanline < encoder->image_height) {
    JSAMPROW row = (JSAMPROW)(picture.pixels + encoder->next_scanline * picture.bytes_per_row);
    jpeg_write_scanlines(encoder, &row, 1);
  }
  jpeg_finish_compress(encoder);
}

uint8_t *ikran_jpeg_write(ikran_picture picture, int channels, int quality, size_t *count,
                          ikran_fault *fault) {
  writer *state = calloc(1, sizeof *state);
  uint8_t *bytes = NULL;
  *count = 0;
  fault->kind = IKRAN_FAULT_MEMORY;
  if (!state) return NULL;
  state->encoder.err = jpeg_std_error(&state->errors);
  state->errors.error_exit = on_error;
  state->errors.emit_message = on_message;
  state->encoder.client_data = state;
  if (setjmp(state->escape)) {
    fault->kind = IKRAN_FAULT_MALFORMED;
    state->errors.format_message((j_common_ptr)&state->encoder, fault->message);
    // The destination may reallocate until the end, so only its own pointer is valid.
    if (state->encoder.dest) state->encoder.dest->term_destination(&state->encoder);
    free(state->bytes);
  } else {
    write_picture(state, picture, channels, quality);
    bytes = state->bytes;
    *count = state->count;
    fault->kind = IKRAN_FAULT_NONE;
  }
  jpeg_destroy_compress(&state->encoder);
  free(state);
  return bytes;
}

void ikran_codec_free(void *memory) { free(memory); }
