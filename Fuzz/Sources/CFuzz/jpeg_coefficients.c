#include "CFuzz.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct reader {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  jmp_buf failed;
};

static void fail(j_common_ptr jpeg) { longjmp(((struct reader *)jpeg)->failed, 1); }
static void be_silent(j_common_ptr jpeg, int level) { (void)jpeg, (void)level; }

static long largest_sum(struct reader *reader, jvirt_barray_ptr *planes) {
  long largest = 0;
  for (int index = 0; index < reader->jpeg.num_components; index++) {
    jpeg_component_info *part = reader->jpeg.comp_info + index;
    if (part->quant_table == NULL) continue;
    for (JDIMENSION y = 0; y < part->height_in_blocks; y++) {
      JBLOCKARRAY row = reader->jpeg.mem->access_virt_barray((j_common_ptr)&reader->jpeg,
                                                             planes[index], y, 1, FALSE);
      for (JDIMENSION x = 0; x < part->width_in_blocks; x++) {
        long sum = 0;
        for (int i = 0; i < 64; i++)
          sum += labs((long)row[0][x][i] * part->quant_table->quantval[i]);
        if (sum > largest) largest = sum;
      }
    }
  }
  return largest;
}

long fuzz_largest_jpeg_sum(const uint8_t *bytes, size_t count) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return -1;
  volatile long sum = -1;
  reader->jpeg.err = jpeg_std_error(&reader->errors);
  reader->errors.error_exit = fail;
  reader->errors.emit_message = be_silent;
  if (setjmp(reader->failed) == 0) {
    jpeg_create_decompress(&reader->jpeg);
    jpeg_mem_src(&reader->jpeg, (unsigned char *)bytes, count);
    jpeg_read_header(&reader->jpeg, TRUE);
    jvirt_barray_ptr *planes = jpeg_read_coefficients(&reader->jpeg);
    if (planes != NULL) sum = largest_sum(reader, planes);
  }
  jpeg_destroy_decompress(&reader->jpeg);
  free(reader);
  return sum;
}

unsigned char *fuzz_progressive_jpeg(const uint8_t *bytes, size_t count, unsigned long *written) {
  struct reader *reader = calloc(1, sizeof *reader);
  struct jpeg_compress_struct writer;
  if (reader == NULL) return NULL;
  reader->jpeg.err = writer.err = jpeg_std_error(&reader->errors);
  jpeg_create_decompress(&reader->jpeg);
  jpeg_create_compress(&writer);
  // The files are our own: an error ends the program.
  jpeg_mem_src(&reader->jpeg, (unsigned char *)bytes, count);
  jpeg_read_header(&reader->jpeg, TRUE);
  jvirt_barray_ptr *planes = jpeg_read_coefficients(&reader->jpeg);
  unsigned char *memory = NULL;
  jpeg_mem_dest(&writer, &memory, written);
  jpeg_copy_critical_parameters(&reader->jpeg, &writer);
  jpeg_simple_progression(&writer);
  jpeg_write_coefficients(&writer, planes);
  jpeg_finish_compress(&writer);
  jpeg_destroy_compress(&writer);
  jpeg_destroy_decompress(&reader->jpeg);
  free(reader);
  return memory;
}
