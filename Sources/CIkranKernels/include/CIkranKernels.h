#pragma once
#include <stddef.h>
#include <stdint.h>

/// 64-byte aligned memory, or NULL when the system refuses; freed with ikran_free.
void *_Nullable ikran_aligned_alloc(size_t bytes);
void ikran_free(void *_Nullable memory);
