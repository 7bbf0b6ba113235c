#pragma once
#include <stddef.h>

// intro(2): xnu bsd/sys/errno.h · macOS 10.0, iOS 2.0
extern int *_Nonnull __error(void);
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EAGAIN 35
#define ENOTSUP 45
#define ELOOP 62
#define ENAMETOOLONG 63
#define ENOTEMPTY 66
#define EDQUOT 69
#define ENOLCK 77

// strerror(3) · macOS 10.0, iOS 2.0
int strerror_r(int number, char *_Nonnull text, size_t size);
