#pragma once
#include <stddef.h>

// mmap(2): xnu bsd/sys/mman.h · macOS 10.0, iOS 2.0
void *mmap(void *address, size_t size, int protection, int flags, int descriptor, long long offset);
int munmap(void *address, size_t size);
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_PRIVATE 0x0002
#define MAP_ANONYMOUS 0x1000
#define MAP_FAILED ((void *)-1)
