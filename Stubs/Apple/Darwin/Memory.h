#pragma once
#include "Types.h"

// mmap(2): xnu bsd/sys/mman.h · macOS 10.0, iOS 2.0
void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset);
int munmap(void *address, size_t size);
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
#define MAP_PRIVATE 0x0002
#define MAP_FIXED 0x0010
#define MAP_NORESERVE 0x0040
#define MAP_ANONYMOUS 0x1000

// mprotect(2): xnu bsd/sys/mman.h · macOS 10.0, iOS 2.0
int mprotect(void *address, size_t size, int protection);

// madvise(2): xnu bsd/sys/mman.h · macOS 10.0, iOS 2.0
int madvise(void *address, size_t size, int advice);
#define MADV_RANDOM 1
#define MADV_WILLNEED 3
