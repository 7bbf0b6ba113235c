#define _GNU_SOURCE
#include "CIkranKernels.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// Large blocks are mapped here and not allocated: what glibc frees it seldom gives back, as some small
// block behind it is still in use (docs/decisions/0062-pixels-in-mapped-memory.md).

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// AddressSanitizer knows the ends of its own blocks only.
#define MAPS_NOTHING 1
#endif
#endif

enum {
  /// Blocks of at least so many bytes are mapped.
  SMALLEST_MAPPED = 64 << 10,
  /// Free blocks of together at most so many bytes stay mapped for the next picture: a new page takes
  /// 0.25 µs to enter.
  MOST_KEPT = 8 << 20,
  /// A block of this many bytes or more is not kept, but has huge pages where the system has some: they
  /// enter twenty times as fast, and all of a picture is written anyway.
  SMALLEST_HUGE = 8 << 20,
  KEPT_COUNT = 32,
  /// The smallest page; a kept block's number of them fits the bits that its address leaves.
  UNIT = 4096,
};

/// Free blocks: the address and, in its low bits, the number of units; 0 where there is none.
///
/// One word is all of a block, so the thread that exchanges it owns the block and no lock is needed.
static uintptr_t kept[KEPT_COUNT];
/// The bytes of all of them.
static size_t kept_bytes;
/// Where the next block is given up.
static unsigned oldest;

static bool is_mapped(size_t bytes) {
#ifdef MAPS_NOTHING
  (void)bytes;
  return false;
#else
  return bytes >= SMALLEST_MAPPED;
#endif
}

/// The bytes of the mapping for a block, or 0 when they do not fit: a block fits all sizes between two
/// eighths of a power of two, so that pictures of about one size can use each other's.
static size_t mapped_bytes(size_t bytes) {
  if (bytes > PTRDIFF_MAX / 2) return 0;
  size_t step = (size_t)1 << (60 - __builtin_clzll(bytes));
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (step < page || bytes >= SMALLEST_HUGE) step = page;
  return (bytes + step - 1) & ~(step - 1);
}

static void unmap(uintptr_t block) {
  size_t bytes = (block & (UNIT - 1)) * UNIT;
  __atomic_fetch_sub(&kept_bytes, bytes, __ATOMIC_RELAXED);
  munmap((void *)(block & ~(uintptr_t)(UNIT - 1)), bytes);
}

static void *take(size_t bytes) {
  for (int i = 0; i < KEPT_COUNT; i++) {
    uintptr_t block = __atomic_load_n(&kept[i], __ATOMIC_RELAXED);
    if (!block || (block & (UNIT - 1)) != bytes / UNIT) continue;
    if (!__atomic_compare_exchange_n(
          &kept[i], &block, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    __atomic_fetch_sub(&kept_bytes, bytes, __ATOMIC_RELAXED);
    return (void *)(block & ~(uintptr_t)(UNIT - 1));
  }
  return NULL;
}

/// Gives up one of the kept blocks for another, or for none.
static void replace_oldest(uintptr_t block) {
  unsigned place = __atomic_fetch_add(&oldest, 1, __ATOMIC_RELAXED) % KEPT_COUNT;
  uintptr_t before = __atomic_exchange_n(&kept[place], block, __ATOMIC_ACQ_REL);
  if (before) unmap(before);
}

static void keep(void *memory, size_t bytes) {
  uintptr_t block = (uintptr_t)memory | bytes / UNIT;
  size_t sum = __atomic_add_fetch(&kept_bytes, bytes, __ATOMIC_RELAXED);
  bool is_kept = false;
  for (int i = 0; i < KEPT_COUNT && !is_kept; i++) {
    uintptr_t none = 0;
    is_kept = __atomic_compare_exchange_n(
      &kept[i], &none, block, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  }
  if (!is_kept) replace_oldest(block);
  for (int i = 0; i < KEPT_COUNT && sum > MOST_KEPT; i++) {
    replace_oldest(0);
    sum = __atomic_load_n(&kept_bytes, __ATOMIC_RELAXED);
  }
}

void *ikran_aligned_alloc(size_t bytes) {
  // No machine has a terabyte for one block; AddressSanitizer ends a process that asks for more.
  if ((uint64_t)bytes >= (uint64_t)1 << 40) return NULL;
  if (!is_mapped(bytes)) {
    void *memory = NULL;
    return posix_memalign(&memory, 64, bytes ? bytes : 64) == 0 ? memory : NULL;
  }
  size_t size = mapped_bytes(bytes);
  if (!size) return NULL;
  void *memory = size < SMALLEST_HUGE ? take(size) : NULL;
  if (memory) return memory;
  memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
  // Small pages do as well.
  if (size >= SMALLEST_HUGE) (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}

void ikran_free(void *memory, size_t bytes) {
  if (!memory) return;
  if (!is_mapped(bytes)) return free(memory);
  size_t size = mapped_bytes(bytes);
  if (size < SMALLEST_HUGE) {
    keep(memory, size);
  } else {
    munmap(memory, size);
  }
}

void ikran_release_free_memory(void) {
  for (int i = 0; i < KEPT_COUNT; i++) {
    uintptr_t block = __atomic_exchange_n(&kept[i], 0, __ATOMIC_ACQUIRE);
    if (block) unmap(block);
  }
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void ikran_flag_clear(void *flag) { __atomic_store_n((unsigned char *)flag, 0, __ATOMIC_RELEASE); }

void ikran_flag_set(void *flag) { __atomic_store_n((unsigned char *)flag, 1, __ATOMIC_RELEASE); }

bool ikran_flag(const void *flag) {
  return __atomic_load_n((const unsigned char *)flag, __ATOMIC_ACQUIRE) != 0;
}
