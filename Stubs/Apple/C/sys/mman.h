#pragma once
#include "../../Darwin/Memory.h"

// mmap(2): xnu bsd/sys/mman.h · macOS 10.0, iOS 2.0
#define MAP_FAILED ((void *)-1)
