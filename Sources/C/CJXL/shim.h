#pragma once
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/thread_parallel_runner.h>
#include <jxl/version.h>

// The colours of a file. libjxl 0.9 took a parameter away from these functions that it had never used.
#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define IKRAN_JXL_COLORS(decoder, ...) (decoder, NULL, __VA_ARGS__)
#else
#define IKRAN_JXL_COLORS(decoder, ...) (decoder, __VA_ARGS__)
#endif

/// `JxlDecoderGetColorAsEncodedProfile`.
static inline JxlDecoderStatus ikran_jxl_encoding(const JxlDecoder *_Nonnull decoder,
                                                  JxlColorProfileTarget target,
                                                  JxlColorEncoding *_Nonnull encoding) {
  return JxlDecoderGetColorAsEncodedProfile IKRAN_JXL_COLORS(decoder, target, encoding);
}

/// `JxlDecoderGetICCProfileSize`.
static inline JxlDecoderStatus ikran_jxl_profile_size(const JxlDecoder *_Nonnull decoder,
                                                      JxlColorProfileTarget target,
                                                      size_t *_Nonnull size) {
  return JxlDecoderGetICCProfileSize IKRAN_JXL_COLORS(decoder, target, size);
}

/// `JxlDecoderGetColorAsICCProfile`, to memory of `size` bytes.
static inline JxlDecoderStatus ikran_jxl_profile(const JxlDecoder *_Nonnull decoder,
                                                 JxlColorProfileTarget target,
                                                 uint8_t *_Nullable profile, size_t size) {
  return JxlDecoderGetColorAsICCProfile IKRAN_JXL_COLORS(decoder, target, profile, size);
}
