#pragma once
#include <stddef.h>

// C11 7.20 · macOS 10.0, iOS 2.0
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;

// sys/types.h: xnu bsd/sys/_types/ and bsd/i386/_types.h · macOS 10.0, iOS 2.0
typedef int64_t off_t;
typedef uint16_t mode_t;
typedef int32_t pid_t;
typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef uint16_t nlink_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int64_t blkcnt_t;
typedef int32_t blksize_t;
typedef long ssize_t;
typedef long time_t;
typedef uint32_t useconds_t;
typedef uint32_t sigset_t;
typedef unsigned int fsblkcnt_t;
typedef unsigned int fsfilcnt_t;
typedef uint64_t rlim_t;

// clock_gettime(3): xnu bsd/sys/_types/_timespec.h · macOS 10.0, iOS 2.0
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
