#include "CIkranKernels.h"

#include <stdlib.h>

void *ikran_aligned_alloc(size_t bytes) {
  void *memory = NULL;
  return posix_memalign(&memory, 64, bytes ? bytes : 64) == 0 ? memory : NULL;
}

void ikran_free(void *memory) { free(memory); }
