#include "CIkranKernels.h"

#include <stdlib.h>

void *ikran_aligned_alloc(size_t bytes) {
  void *memory = NULL;
  return posix_memalign(&memory, 64, bytes ? bytes : 64) == 0 ? memory : NULL;
}

void ikran_free(void *memory) { free(memory); }

void ikran_flag_clear(void *flag) { __atomic_store_n((unsigned char *)flag, 0, __ATOMIC_RELEASE); }

void ikran_flag_set(void *flag) { __atomic_store_n((unsigned char *)flag, 1, __ATOMIC_RELEASE); }

bool ikran_flag(const void *flag) {
  return __atomic_load_n((const unsigned char *)flag, __ATOMIC_ACQUIRE) != 0;
}
