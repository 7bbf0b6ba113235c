#pragma once
// One explicit branch per call picks the loop: function clones crash under ThreadSanitizer.
#if defined(__x86_64__)
#include <immintrin.h>
#define IKRAN_AVX2 1
#define AVX2 __attribute__((target("avx2")))
#else
#define IKRAN_AVX2 0
#endif
