// The platform's C library: POSIX has one name for what Glibc and Darwin have. What only one of
// them has is in `IkranSystem/Platform/`, and nothing else names either.
#if canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif
