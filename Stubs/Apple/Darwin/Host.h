#pragma once
#include "Types.h"

// sysconf(3): xnu bsd/sys/unistd.h · macOS 10.0, iOS 2.0
long sysconf(int name);
#define _SC_PAGESIZE 29
#define _SC_NPROCESSORS_ONLN 58

// sysctlbyname(3) · macOS 10.0, iOS 2.0
int sysctlbyname(
  const char *name, void *old, size_t *oldSize, void *value,
  size_t size);

// getrlimit(2): xnu bsd/sys/resource.h · macOS 10.0, iOS 2.0
struct rlimit {
  rlim_t rlim_cur;
  rlim_t rlim_max;
};
int getrlimit(int resource, struct rlimit *limit);
#define RLIMIT_FSIZE 1

// clock_gettime(3): Libc include/_time.h · macOS 10.12, iOS 10.0
typedef enum : unsigned int {
  _CLOCK_REALTIME = 0,
  _CLOCK_MONOTONIC_RAW_APPROX = 5,
} clockid_t;
static const clockid_t CLOCK_REALTIME = _CLOCK_REALTIME;
static const clockid_t CLOCK_MONOTONIC_RAW_APPROX = _CLOCK_MONOTONIC_RAW_APPROX;
int clock_gettime(clockid_t clock, struct timespec *time);

// time(3), nanosleep(2), usleep(3) · macOS 10.0, iOS 2.0
time_t time(time_t *now);
int nanosleep(const struct timespec *time, struct timespec *left);
int usleep(useconds_t microseconds);

// getpid(2), kill(2), getenv(3) · macOS 10.0, iOS 2.0
pid_t getpid(void);
int kill(pid_t process, int signal);
char *getenv(const char *name);

// malloc(3), string(3) · macOS 10.0, iOS 2.0
void free(void *memory);
size_t strlen(const char *text);
