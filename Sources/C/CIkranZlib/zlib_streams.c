#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "CIkranZlib.h"

// ISA-L takes less than half of zlib's time. Where its header is missing zlib does its work.
#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l/igzip_lib.h>
#define HAS_ISAL 1
#else
#define HAS_ISAL 0
struct inflate_state {
  int unused;
};
#endif

struct ikran_inflater {
  struct inflate_state *isal;  // NULL: zlib
  z_stream zlib;
};

int ikran_has_isal(void) { return HAS_ISAL; }

static struct inflate_state *open_isal(void) {
#if HAS_ISAL
  struct inflate_state *state = malloc(sizeof *state);
  if (!state) return NULL;
  isal_inflate_init(state);
  state->crc_flag = ISAL_ZLIB;
  return state;
#else
  return NULL;
#endif
}

ikran_inflater *ikran_inflate_open(int uses_isal) {
  ikran_inflater *inflater = calloc(1, sizeof *inflater);
  if (!inflater) return NULL;
  inflater->isal = uses_isal ? open_isal() : NULL;
  const bool isOpen = uses_isal ? inflater->isal != NULL : inflateInit(&inflater->zlib) == Z_OK;
  if (isOpen) return inflater;
  free(inflater);
  return NULL;
}

ikran_inflater *ikran_gunzip_open(void) {
  ikran_inflater *inflater = calloc(1, sizeof *inflater);
  if (!inflater) return NULL;
  // 16 stands for gzip, 15 for the largest window.
  if (inflateInit2(&inflater->zlib, 16 + 15) == Z_OK) return inflater;
  free(inflater);
  return NULL;
}

static uint32_t part(size_t count) { return count < (1u << 30) ? (uint32_t)count : 1u << 30; }

static void advance(ikran_inflate_buffers *b, size_t consumed, size_t written) {
  b->in += consumed, b->in_count -= consumed;
  b->out += written, b->out_count -= written;
}

static ikran_inflate_state run_isal(struct inflate_state *state, ikran_inflate_buffers *b) {
#if HAS_ISAL
  const uint32_t in = part(b->in_count), out = part(b->out_count);
  state->next_in = (uint8_t *)b->in, state->avail_in = in;
  state->next_out = b->out, state->avail_out = out;
  const int result = isal_inflate(state);
  advance(b, in - state->avail_in, out - state->avail_out);
  if (result == ISAL_DECOMP_OK && state->block_state == ISAL_BLOCK_FINISH)
    return IKRAN_INFLATE_END;
  return result == ISAL_DECOMP_OK ? IKRAN_INFLATE_MORE : IKRAN_INFLATE_DAMAGED;
#else
  (void)state, (void)b;
  return IKRAN_INFLATE_DAMAGED;
#endif
}

static ikran_inflate_state run_zlib(z_stream *stream, ikran_inflate_buffers *b) {
  const uint32_t in = part(b->in_count), out = part(b->out_count);
  stream->next_in = (Bytef *)b->in, stream->avail_in = in;
  stream->next_out = b->out, stream->avail_out = out;
  const int result = inflate(stream, Z_NO_FLUSH);
  advance(b, in - stream->avail_in, out - stream->avail_out);
  if (result == Z_STREAM_END) return IKRAN_INFLATE_END;
  // A call that can do nothing is no damage.
  return result == Z_OK || result == Z_BUF_ERROR ? IKRAN_INFLATE_MORE : IKRAN_INFLATE_DAMAGED;
}

ikran_inflate_state ikran_inflate(ikran_inflater *inflater, ikran_inflate_buffers *buffers) {
  return inflater->isal ? run_isal(inflater->isal, buffers) : run_zlib(&inflater->zlib, buffers);
}

ikran_inflater *ikran_inflate_copy(const ikran_inflater *inflater) {
  ikran_inflater *copy = calloc(1, sizeof *copy);
  if (!copy) return NULL;
  if (inflater->isal) {
    // It has no pointers but those of its buffers, which are set by each call.
    copy->isal = malloc(sizeof *copy->isal);
    if (copy->isal) memcpy(copy->isal, inflater->isal, sizeof *copy->isal);
  }
  // zlib only reads the stream that it copies.
  const bool isCopied = inflater->isal
                            ? copy->isal != NULL
                            : inflateCopy(&copy->zlib, (z_stream *)&inflater->zlib) == Z_OK;
  if (isCopied) return copy;
  free(copy);
  return NULL;
}

// zlib has a window of 32 KB, and tables.
size_t ikran_inflate_size(void) { return HAS_ISAL ? sizeof(struct inflate_state) : 48 << 10; }

void ikran_inflate_close(ikran_inflater *inflater) {
  if (!inflater) return;
  if (!inflater->isal) inflateEnd(&inflater->zlib);
  free(inflater->isal);
  free(inflater);
}

// What every picture takes: level 9 takes twice as long and saves a percent or two.
enum { level = 6 };

struct ikran_deflater {
  z_stream zlib;
  int strategy;
};

ikran_deflater *ikran_deflate_open(void) {
  ikran_deflater *deflater = calloc(1, sizeof *deflater);
  if (!deflater) return NULL;
  deflater->strategy = Z_RLE;
  if (deflateInit2(&deflater->zlib, level, Z_DEFLATED, 15, 9, Z_RLE) == Z_OK) return deflater;
  free(deflater);
  return NULL;
}

int ikran_deflate(ikran_deflater *deflater, ikran_inflate_buffers *b, int runs, int last) {
  z_stream *stream = &deflater->zlib;
  const int strategy = runs ? Z_RLE : Z_DEFAULT_STRATEGY;
  const uint32_t in = part(b->in_count), out = part(b->out_count);
  stream->next_out = b->out, stream->avail_out = out;
  stream->next_in = NULL, stream->avail_in = 0;
  if (strategy != deflater->strategy) {
    // Ends a block, for which there may be too little room: then it is tried again.
    const int result = deflateParams(stream, level, strategy);
    if (result != Z_OK && result != Z_BUF_ERROR) return 0;
    if (result == Z_OK) deflater->strategy = strategy;
  }
  stream->next_in = (Bytef *)b->in, stream->avail_in = in;
  const int result = deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
  advance(b, in - stream->avail_in, out - stream->avail_out);
  return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

void ikran_deflate_close(ikran_deflater *deflater) {
  if (!deflater) return;
  deflateEnd(&deflater->zlib);
  free(deflater);
}

// As deflateBound of every setting: noise takes more codes than compressBound allows for.
size_t ikran_deflate_bound(size_t count) { return count + (count >> 3) + (count >> 6) + 32; }

size_t ikran_deflate_runs(const uint8_t *bytes, size_t count, uint8_t *out, size_t room) {
  z_stream stream = {0};
  if (count > 1u << 30) return 0;
  // Nine: codes for as many bytes as there may be, which matters more than how well they fit.
  if (deflateInit2(&stream, level, Z_DEFLATED, 15, 9, Z_RLE) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes, stream.avail_in = (uInt)count;
  stream.next_out = out, stream.avail_out = part(room);
  const int result = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  return result == Z_STREAM_END ? stream.total_out : 0;
}
