// Whole pictures with the libraries of their formats alone, on one thread: four bytes a pixel, not scaled.
#include "CPeers.h"

#include <avif/avif.h>
#include <cairo.h>
#include <jxl/decode.h>
#include <libheif/heif.h>
#include <librsvg/rsvg.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

static bool decode_avif(const uint8_t *bytes, size_t count) {
  avifDecoder *decoder = avifDecoderCreate();
  bool isDone = decoder != NULL;
  if (isDone) decoder->maxThreads = 1;
  isDone = isDone && avifDecoderSetIOMemory(decoder, bytes, count) == AVIF_RESULT_OK &&
           avifDecoderParse(decoder) == AVIF_RESULT_OK && avifDecoderNextImage(decoder) == AVIF_RESULT_OK;
  if (isDone) {
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, decoder->image);
    pixels.format = AVIF_RGB_FORMAT_BGRA;
    pixels.depth = 8;
    avifRGBImageAllocatePixels(&pixels);
    isDone = avifImageYUVToRGB(decoder->image, &pixels) == AVIF_RESULT_OK;
    peers_consume(pixels.pixels);
    avifRGBImageFreePixels(&pixels);
  }
  if (decoder != NULL) avifDecoderDestroy(decoder);
  return isDone;
}

static bool decode_heic(const uint8_t *bytes, size_t count) {
  struct heif_context *context = heif_context_alloc();
  struct heif_image_handle *picture = NULL;
  struct heif_image *pixels = NULL;
  heif_context_set_max_decoding_threads(context, 0);
  bool isDone =
      heif_context_read_from_memory_without_copy(context, bytes, count, NULL).code == heif_error_Ok &&
      heif_context_get_primary_image_handle(context, &picture).code == heif_error_Ok &&
      heif_decode_image(picture, &pixels, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL).code ==
          heif_error_Ok;
  if (isDone) {
    int stride;
    peers_consume(heif_image_get_plane_readonly(pixels, heif_channel_interleaved, &stride));
  }
  if (pixels != NULL) heif_image_release(pixels);
  if (picture != NULL) heif_image_handle_release(picture);
  heif_context_free(context);
  return isDone;
}

struct File {
  uint8_t *bytes;
  size_t capacity, count;
};

static struct heif_error keep(struct heif_context *context, const void *data, size_t size, void *target) {
  (void)context;
  struct File *file = target;
  struct heif_error error = {heif_error_Ok, heif_suberror_Unspecified, "no room"};
  if (size > file->capacity) {
    error.code = heif_error_Encoding_error;
    return error;
  }
  memcpy(file->bytes, data, size);
  file->count = size;
  return error;
}

size_t peers_heic_encode(
    const uint8_t *pixels, int width, int height, int stride, int quality, uint8_t *bytes, size_t capacity) {
  struct heif_context *context = heif_context_alloc();
  struct heif_encoder *encoder = NULL;
  struct heif_image *picture = NULL;
  struct File file = {bytes, capacity, 0};
  bool isDone =
      heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder).code == heif_error_Ok &&
      heif_image_create(width, height, heif_colorspace_RGB, heif_chroma_interleaved_RGB, &picture).code ==
          heif_error_Ok &&
      heif_image_add_plane(picture, heif_channel_interleaved, width, height, 8).code == heif_error_Ok;
  if (isDone) {
    int length;
    uint8_t *rows = heif_image_get_plane(picture, heif_channel_interleaved, &length);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        for (int c = 0; c < 3; c++)
          rows[(size_t)y * length + 3 * x + c] = pixels[(size_t)y * stride + 4 * x + 2 - c];
    heif_encoder_set_lossy_quality(encoder, quality);
    struct heif_writer writer = {1, keep};
    isDone = heif_context_encode_image(context, picture, encoder, NULL, NULL).code == heif_error_Ok &&
             heif_context_write(context, &writer, &file).code == heif_error_Ok;
  }
  if (picture != NULL) heif_image_release(picture);
  if (encoder != NULL) heif_encoder_release(encoder);
  heif_context_free(context);
  return isDone ? file.count : 0;
}

static bool decode_jxl(const uint8_t *bytes, size_t count) {
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  uint8_t *pixels = NULL;
  bool isDone = false;
  if (decoder == NULL || JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE) != JXL_DEC_SUCCESS ||
      JxlDecoderSetInput(decoder, bytes, count) != JXL_DEC_SUCCESS)
    return false;
  JxlDecoderCloseInput(decoder);
  for (;;) {
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    size_t size;
    if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
      if (JxlDecoderImageOutBufferSize(decoder, &format, &size) != JXL_DEC_SUCCESS) break;
      pixels = malloc(size);
      if (pixels == NULL) break;
      if (JxlDecoderSetImageOutBuffer(decoder, &format, pixels, size) != JXL_DEC_SUCCESS) break;
    } else {
      isDone = status == JXL_DEC_FULL_IMAGE;
      break;
    }
  }
  peers_consume(pixels);
  free(pixels);
  JxlDecoderDestroy(decoder);
  return isDone;
}

struct Memory {
  const uint8_t *bytes;
  toff_t count, offset;
};

static tmsize_t memory_read(thandle_t handle, void *target, tmsize_t wanted) {
  struct Memory *memory = handle;
  toff_t left = memory->offset < memory->count ? memory->count - memory->offset : 0;
  toff_t some = (toff_t)wanted < left ? (toff_t)wanted : left;
  memcpy(target, memory->bytes + memory->offset, some);
  memory->offset += some;
  return (tmsize_t)some;
}

static tmsize_t memory_write(thandle_t handle, void *source, tmsize_t count) {
  (void)handle, (void)source, (void)count;
  return -1;
}

static toff_t memory_seek(thandle_t handle, toff_t offset, int from) {
  struct Memory *memory = handle;
  memory->offset = from == SEEK_CUR ? memory->offset + offset : from == SEEK_END ? memory->count + offset : offset;
  return memory->offset;
}

static int memory_close(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t memory_size(thandle_t handle) { return ((struct Memory *)handle)->count; }

static bool decode_tiff(const uint8_t *bytes, size_t count) {
  struct Memory memory = {bytes, count, 0};
  TIFF *file = TIFFClientOpen("memory", "rm", &memory, memory_read, memory_write, memory_seek, memory_close,
                              memory_size, NULL, NULL);
  if (file == NULL) return false;
  uint32_t width = 0, height = 0;
  bool isDone = TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width) && TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height);
  uint32_t *pixels = isDone ? malloc((size_t)width * height * 4) : NULL;
  isDone = pixels != NULL && TIFFReadRGBAImageOriented(file, width, height, pixels, ORIENTATION_TOPLEFT, 1);
  peers_consume(pixels);
  free(pixels);
  TIFFClose(file);
  return isDone;
}

/// Draws at the size that is wanted, as a drawing can be.
static bool draw_svg(const uint8_t *bytes, size_t count, int side) {
  RsvgHandle *handle = rsvg_handle_new_from_data(bytes, count, NULL);
  if (handle == NULL) return false;
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, side, side);
  cairo_t *cairo = cairo_create(surface);
  RsvgRectangle area = {0, 0, side, side};
  bool isDone = rsvg_handle_render_document(handle, cairo, &area, NULL);
  cairo_surface_flush(surface);
  peers_consume(cairo_image_surface_get_data(surface));
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  g_object_unref(handle);
  return isDone;
}

const char *peers_format_library(const char *format) {
  static const char *const names[][2] = {
      {"avif", "libavif"}, {"heic", "libheif"}, {"jxl", "libjxl"}, {"tiff", "libtiff"}, {"svg", "librsvg"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i][0], format) == 0) return names[i][1];
  return NULL;
}

bool peers_format_decode(const char *format, const uint8_t *bytes, size_t count, int side) {
  if (strcmp(format, "avif") == 0) return decode_avif(bytes, count);
  if (strcmp(format, "heic") == 0) return decode_heic(bytes, count);
  if (strcmp(format, "jxl") == 0) return decode_jxl(bytes, count);
  if (strcmp(format, "tiff") == 0) return decode_tiff(bytes, count);
  if (strcmp(format, "svg") == 0) return draw_svg(bytes, count, side);
  return false;
}
