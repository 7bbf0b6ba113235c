#pragma once

// zlib.h of the SDK names it: xnu bsd/sys/types.h · macOS 10.0, iOS 2.0
typedef long long off_t;
