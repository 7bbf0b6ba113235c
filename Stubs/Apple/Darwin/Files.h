#pragma once
#include "Threads.h"
#include "Types.h"

// open(2): xnu bsd/sys/fcntl.h · macOS 10.7, iOS 4.0
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_APPEND 0x0008
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_EXCL 0x0800
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000

// fcntl(2): xnu bsd/sys/fcntl.h · macOS 10.0, iOS 2.0
#define F_SETFD 2
#define FD_CLOEXEC 1
#define F_PREALLOCATE 42
#define F_GETPATH 50
#define F_FULLFSYNC 51
#define F_ALLOCATEALL 0x00000004
#define F_PEOFPOSMODE 3
typedef struct {
  unsigned int fst_flags;
  int fst_posmode;
  off_t fst_offset;
  off_t fst_length;
  off_t fst_bytesalloc;
} fstore_t;

// fcntl(2): xnu bsd/sys/fcntl.h · macOS 10.13, iOS 11.0 ?
#define F_PUNCHHOLE 99
typedef struct {
  unsigned int fp_flags;
  unsigned int reserved;
  off_t fp_offset;
  off_t fp_length;
} fpunchhole_t;

// fcntl(2): xnu bsd/sys/fcntl.h · macOS 10.15, iOS 13.0 ?
#define F_OFD_SETLK 90
#define F_OFD_SETLKW 91
#define F_OFD_GETLK 92
struct flock {
  off_t l_start;
  off_t l_len;
  pid_t l_pid;
  short l_type;
  short l_whence;
};
#define F_RDLCK 1
#define F_UNLCK 2
#define F_WRLCK 3

// stat(2): xnu bsd/sys/stat.h, the one with 64-bit inodes · macOS 10.6, iOS 2.0
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
  uint32_t st_flags;
  uint32_t st_gen;
  int32_t st_lspare;
  int64_t st_qspare[2];
};
int stat(const char *path, struct stat *status);
int lstat(const char *path, struct stat *status);
int fstat(int descriptor, struct stat *status);

// statvfs(3): Libc include/sys/statvfs.h · macOS 10.4, iOS 2.0
struct statvfs {
  unsigned long f_bsize, f_frsize;
  fsblkcnt_t f_blocks, f_bfree, f_bavail;
  fsfilcnt_t f_files, f_ffree, f_favail;
  unsigned long f_fsid, f_flag, f_namemax;
};
int statvfs(const char *path, struct statvfs *status);
int fstatvfs(int descriptor, struct statvfs *status);
#define ST_RDONLY 0x00000001

// read(2), write(2), lseek(2) · macOS 10.0, iOS 2.0
ssize_t read(int descriptor, void *bytes, size_t count);
ssize_t write(int descriptor, const void *bytes, size_t count);
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset);
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset);
off_t lseek(int descriptor, off_t offset, int whence);
#define SEEK_SET 0

// lseek(2): xnu bsd/sys/_types/_seek_set.h and bsd/sys/unistd.h · macOS 10.15, iOS 13.0 ?
#define SEEK_HOLE 3
#define SEEK_DATA 4

// close(2), fsync(2), truncate(2), chmod(2) · macOS 10.0, iOS 2.0
int close(int descriptor);
int dup2(int descriptor, int number);
int fsync(int descriptor);
int ftruncate(int descriptor, off_t size);
int fchmod(int descriptor, mode_t mode);

// flock(2): xnu bsd/sys/fcntl.h · macOS 10.0, iOS 2.0
int flock(int descriptor, int operation);
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_UN 0x08

// rename(2), link(2), unlink(2), remove(3), mkdir(2) · macOS 10.0, iOS 2.0
int rename(const char *from, const char *to);
int link(const char *from, const char *to);
int symlink(const char *target, const char *path);
int unlink(const char *path);
int remove(const char *path);
int mkdir(const char *path, mode_t mode);

// access(2): xnu bsd/sys/unistd.h · macOS 10.0, iOS 2.0
int access(const char *path, int mode);
#define F_OK 0
#define W_OK 2

// directory(3): Libc include/dirent.h, xnu bsd/sys/dirent.h · macOS 10.0, iOS 2.0
struct _telldir;
typedef struct {
  int __dd_fd;
  long __dd_loc;
  long __dd_size;
  char *__dd_buf;
  int __dd_len;
  long __dd_seek;
  long __padding;
  int __dd_flags;
  pthread_mutex_t __dd_lock;
  struct _telldir *__dd_td;
} DIR;
struct dirent {
  uint64_t d_ino;
  uint64_t d_seekoff;
  uint16_t d_reclen;
  uint16_t d_namlen;
  uint8_t d_type;
  char d_name[1024];
};
DIR *opendir(const char *path);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);

// getcwd(3) · macOS 10.0, iOS 2.0
char *getcwd(char *path, size_t size);

// futimens(2): xnu bsd/sys/stat.h · macOS 10.13, iOS 11.0
int futimens(int descriptor, const struct timespec times[2]);
#define UTIME_OMIT -2

// getcwd(3): xnu bsd/sys/param.h and bsd/sys/syslimits.h · macOS 10.0, iOS 2.0
#define MAXPATHLEN 1024
