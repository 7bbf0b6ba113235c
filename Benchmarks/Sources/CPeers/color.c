// A photo of Display P3 colours to sRGB with libjpeg-turbo and LittleCMS, and with libvips.
#include "CPeers.h"

#include <dlfcn.h>
#include <lcms2.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static cmsHPROFILE display_p3(void) {
  const cmsCIExyY white = {.3127, .329, 1};
  const cmsCIExyYTRIPLE colors = {{.68, .32, 1}, {.265, .69, 1}, {.15, .06, 1}};
  const double curve[] = {2.4, 1 / 1.055, .055 / 1.055, 1 / 12.92, .04045};
  cmsToneCurve *one = cmsBuildParametricToneCurve(NULL, 4, curve);
  cmsToneCurve *const all[] = {one, one, one};
  cmsHPROFILE profile = cmsCreateRGBProfile(&white, &colors, all);
  cmsFreeToneCurve(one);
  return profile;
}

size_t peers_color_profile(uint8_t *out, size_t room) {
  cmsHPROFILE profile = display_p3();
  cmsUInt32Number size = (cmsUInt32Number)room;
  const bool saved = profile && cmsSaveProfileToMem(profile, out, &size);
  cmsCloseProfile(profile);
  return saved ? size : 0;
}

/// One transform for all calls, as a program keeps it.
static cmsHTRANSFORM to_srgb(void) {
  static cmsHTRANSFORM transform;
  if (transform == NULL) {
    cmsHPROFILE from = display_p3(), to = cmsCreate_sRGBProfile();
    transform =
      cmsCreateTransform(from, TYPE_BGRA_8, to, TYPE_BGRA_8, INTENT_RELATIVE_COLORIMETRIC, 0);
    cmsCloseProfile(from);
    cmsCloseProfile(to);
  }
  return transform;
}

int peers_lcms_version(void) { return cmsGetEncodedCMMversion(); }

bool peers_lcms_convert(uint8_t *pixels, size_t count) {
  cmsHTRANSFORM transform = to_srgb();
  if (transform == NULL) return false;
  cmsDoTransform(transform, pixels, pixels, (cmsUInt32Number)count);
  return true;
}

static void leave(j_common_ptr common) { longjmp(*(jmp_buf *)common->client_data, 1); }

bool peers_lcms_decode(const uint8_t *bytes, size_t count) {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  uint8_t *volatile pixels = NULL;
  volatile bool done = false;
  decoder.err = jpeg_std_error(&errors);
  errors.error_exit = leave;
  jpeg_create_decompress(&decoder);
  decoder.client_data = &failure;
  if (!setjmp(failure)) {
    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = JCS_EXT_BGRX;
    jpeg_start_decompress(&decoder);
    const size_t stride = (size_t)decoder.output_width * 4;
    pixels = malloc(stride * decoder.output_height);
    while (pixels && decoder.output_scanline < decoder.output_height) {
      uint8_t *row = pixels + stride * decoder.output_scanline;
      jpeg_read_scanlines(&decoder, &row, 1);
    }
    done = pixels && peers_lcms_convert(pixels, decoder.output_width * decoder.output_height);
    jpeg_finish_decompress(&decoder);
    peers_consume(pixels);
  }
  jpeg_destroy_decompress(&decoder);
  free(pixels);
  return done;
}

bool peers_vips_color(const uint8_t *bytes, size_t count, int side) {
  typedef struct VipsImage VipsImage;
  void *library = peers_vips_load() ? dlopen("libvips.so.42", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return false;
  int (*thumbnail)(void *, size_t, VipsImage **, int, ...) =
    (int (*)(void *, size_t, VipsImage **, int, ...))dlsym(library, "vips_thumbnail_buffer");
  void *(*write)(VipsImage *, size_t *) =
    (void *(*)(VipsImage *, size_t *))dlsym(library, "vips_image_write_to_memory");
  void (*unref)(void *) = (void (*)(void *))dlsym(library, "g_object_unref");
  void (*release)(void *) = (void (*)(void *))dlsym(library, "g_free");
  VipsImage *image = NULL;
  if (!thumbnail || !write || !unref || !release ||
      thumbnail((void *)bytes, count, &image, side, "height", side, "export_profile", "srgb",
                NULL) != 0)
    return false;
  size_t size = 0;
  void *pixels = write(image, &size);
  peers_consume(pixels);
  release(pixels);
  unref(image);
  return size > 0;
}
