#pragma once
#include <stddef.h>
#include <stdint.h>

// Inflating a zlib stream piece by piece.

typedef struct ikran_inflater ikran_inflater;

typedef enum {
  IKRAN_INFLATE_MORE = 0,  // the input is used up, or the output is full
  IKRAN_INFLATE_END,       // the stream has ended, and its checksum is right
  IKRAN_INFLATE_DAMAGED,
} ikran_inflate_state;

/// What is left to read, and to fill.
typedef struct {
  const uint8_t *_Nullable in;
  size_t in_count;
  uint8_t *_Nullable out;
  size_t out_count;
} ikran_inflate_buffers;

/// Whether ISA-L was there when this was built.
int ikran_has_isal(void);
/// Begins a stream with ISA-L, or with zlib; NULL without memory or without ISA-L.
ikran_inflater *_Nullable ikran_inflate_open(int uses_isal);
/// Begins a gzip file, of which the first member is inflated, with zlib; NULL without memory.
ikran_inflater *_Nullable ikran_gunzip_open(void);
/// Inflates as much as there is input and room for; at most 1 GB of either at once.
ikran_inflate_state ikran_inflate(ikran_inflater *_Nonnull inflater,
                                  ikran_inflate_buffers *_Nonnull buffers);
/// A copy at the same place in the stream, NULL without memory.
ikran_inflater *_Nullable ikran_inflate_copy(const ikran_inflater *_Nonnull inflater);
/// Bytes that a copy takes.
size_t ikran_inflate_size(void);
void ikran_inflate_close(ikran_inflater *_Nullable inflater);

// Writing a zlib stream piece by piece.

typedef struct ikran_deflater ikran_deflater;

/// Begins a stream; NULL without memory.
ikran_deflater *_Nullable ikran_deflate_open(void);
/// Compresses as much as there is room for, at most 1 GB at once, as runs of bytes alone or with
/// matches. After all of the `last` input, the stream has ended when there is room left; otherwise
/// the input is used up then. Returns 0 for an error.
int ikran_deflate(ikran_deflater *_Nonnull deflater, ikran_inflate_buffers *_Nonnull buffers, int runs,
                  int last);
void ikran_deflate_close(ikran_deflater *_Nullable deflater);

// zlib streams of literals and runs of bytes alone.

/// The most bytes that a stream of `count` bytes may take.
size_t ikran_deflate_bound(size_t count);
/// Writes the stream of at most 1 GB and returns its length; 0 when it does not fit, or there is no
/// memory.
size_t ikran_deflate_runs(const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull out,
                          size_t room);
