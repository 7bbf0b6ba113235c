#pragma once
#include <png.h>

#include "CIkranCodecs.h"

struct ikran_png_reader {
  png_structp decoder;
  png_infop info;
  const uint8_t *bytes;
  size_t count, offset;
  int accepts_cut;
  // Where the checksum of the data begins, which is read apart; 0 where that is not known.
  size_t checksum;
  // A reduced picture: the side of its squares as a power of two, and their sums.
  unsigned shift;
  uint16_t *sums;
  uint8_t *row;
  // The passes that were read in full.
  int passes;
  int has_wrong_checksum;
  ikran_fault fault;
};
