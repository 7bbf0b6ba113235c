// Queries of the file system and of the kernel's memory for the measurements.
#define _GNU_SOURCE
#include "CPeers.h"

#include <fcntl.h>
#include <ftw.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int drop_file(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)place;
  if (kind != FTW_F) return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  int failed = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
  return failed;
}

bool peers_write_out(const char *folder) {
  int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return false;
  bool written = syncfs(opened) == 0;
  close(opened);
  return written;
}

bool peers_drop_pages(const char *folder) {
  // The kernel keeps pages it has not written yet.
  return peers_write_out(folder) && nftw(folder, drop_file, 8, FTW_PHYS) == 0;
}

double peers_resident_part(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status;
  double part = -1;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    size_t size = (size_t)status.st_size, pages = (size + 4095) / 4096, resident = 0;
    unsigned char *flags = malloc(pages);
    void *mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (flags != NULL && mapped != MAP_FAILED && mincore(mapped, size, flags) == 0) {
      for (size_t i = 0; i < pages; i++) resident += flags[i] & 1;
      part = (double)resident / (double)pages;
    }
    if (mapped != MAP_FAILED) munmap(mapped, size);
    free(flags);
  }
  close(file);
  return part;
}

uint64_t peers_free_bytes(const char *folder) {
  struct statvfs status;
  if (statvfs(folder, &status) != 0) return 0;
  return (uint64_t)status.f_bavail * status.f_frsize;
}

void peers_spread_folders(const char *folder) {
  int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), flags;
  if (opened < 0) return;
  if (ioctl(opened, FS_IOC_GETFLAGS, &flags) == 0) {
    flags |= FS_TOPDIR_FL;
    (void)ioctl(opened, FS_IOC_SETFLAGS, &flags);
  }
  close(opened);
}

void peers_warm_memory(size_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory != MAP_FAILED) munmap(memory, bytes);
}

static int delete_file(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

void peers_delete(const char *folder) { nftw(folder, delete_file, 8, FTW_DEPTH | FTW_PHYS); }

bool peers_open_and_map(const char *path) {
  enum { mapped = 1 << 30 };
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status;
  bool done = fstat(file, &status) == 0;
  volatile char *start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) done = false;
  if (done) (void)*start;
  if (start != MAP_FAILED) munmap((void *)start, mapped);
  return close(file) == 0 && done;
}

uint64_t peers_resident_bytes(void) {
  unsigned long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  int read = fscanf(file, "%lu %lu", &size, &resident);
  fclose(file);
  return read == 2 ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
