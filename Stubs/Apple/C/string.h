#pragma once
#include <stddef.h>

// C11 7.24 · macOS 10.0, iOS 2.0
void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memset(void *memory, int byte, size_t count);
