// The frames of an animated WebP file with libwebp's own decoder of animations.
#include "CPeers.h"

#include <string.h>
#include <webp/demux.h>

bool peers_webp_compose(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
  WebPAnimDecoderOptions options;
  if (!WebPAnimDecoderOptionsInit(&options)) return false;
  options.color_mode = MODE_bgrA;
  options.use_threads = 0;
  WebPData data = {bytes, count};
  WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, &options);
  if (decoder == NULL) return false;
  WebPAnimInfo info;
  bool isDone = WebPAnimDecoderGetInfo(decoder, &info) != 0;
  size_t size = isDone ? 4 * (size_t)info.canvas_width * info.canvas_height : 0;
  uint8_t *canvas = NULL;
  while (isDone && WebPAnimDecoderHasMoreFrames(decoder)) {
    int time;
    isDone = WebPAnimDecoderGetNext(decoder, &canvas, &time) != 0;
    peers_consume(canvas);
  }
  isDone = isDone && canvas != NULL && size <= capacity;
  if (isDone) memcpy(pixels, canvas, size);
  WebPAnimDecoderDelete(decoder);
  return isDone;
}
