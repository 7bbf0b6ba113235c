#pragma once
// How a kernel runs on processors with AVX2 and without: it has a loop for each, name_avx2 and
// name_plain, with the same parameters and the same results, and PICK calls one of them.
//
// Callers have asked the processor (ikran_has_simd), so a call costs one branch. Function clones
// would need none, but crash under ThreadSanitizer. SSE2 is part of x86-64 and needs no choice.

#define INLINE static inline __attribute__((always_inline))

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
/// Calls name_avx2 or name_plain.
#define PICK(simd, name, ...) ((simd) ? name##_avx2(__VA_ARGS__) : name##_plain(__VA_ARGS__))
/// Defines both from name_loop, an INLINE function.
#define TWICE(name, parameters, arguments)                              \
  AVX2 static void name##_avx2 parameters { name##_loop arguments; }    \
  static void name##_plain parameters { name##_loop arguments; }
#else
#define PICK(simd, name, ...) name##_plain(__VA_ARGS__)
#define TWICE(name, parameters, arguments) \
  static void name##_plain parameters { name##_loop arguments; }
#endif
