#pragma once

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own `main`: runs `callback` on inputs as its arguments say.
int LLVMFuzzerRunDriver(int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv,
                        int (*_Nonnull callback)(const uint8_t *_Nullable bytes, size_t count));

/// libFuzzer's usual mutations, for a custom mutator.
size_t LLVMFuzzerMutate(uint8_t *_Nonnull bytes, size_t count, size_t most);

/// The largest sum of a block's absolute dequantized coefficients in a JPEG file, as libjpeg reads
/// them; -1 when it cannot.
///
/// Up to some sum both transforms compute the same; above it they saturate differently.
long fuzz_largest_jpeg_sum(const uint8_t *_Nullable bytes, size_t count);

/// Writes the coefficients of a JPEG file again, progressively.
///
/// Returns the bytes, which `free` frees, and their count; a file that cannot be read ends the program.
unsigned char *_Nullable fuzz_progressive_jpeg(const uint8_t *_Nullable bytes, size_t count,
                                               unsigned long *_Nonnull written);
