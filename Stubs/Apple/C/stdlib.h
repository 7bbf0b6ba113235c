#pragma once
#include "../Darwin/Host.h"
#include <stddef.h>

// C11 7.22 · macOS 10.0, iOS 2.0
int abs(int x);
void *calloc(size_t count, size_t size);
void *malloc(size_t size);

// posix_memalign(3) · macOS 10.6, iOS 3.0
int posix_memalign(void **memory, size_t alignment, size_t size);
