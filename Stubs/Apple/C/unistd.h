#pragma once

// sysconf(3): xnu bsd/sys/unistd.h · macOS 10.0, iOS 2.0
long sysconf(int name);
#define _SC_PAGESIZE 29
