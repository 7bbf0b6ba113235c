#pragma once
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

// What Swift cannot call, as it takes variable arguments, and the functions that libtiff calls back:
// it reads from memory, says nothing to anyone but its caller, and changes nothing global.

/// A file in memory, and the first error of the library that reads it.
typedef struct {
  const uint8_t *_Nonnull bytes;  // they outlive the library's object
  uint64_t count;
  uint64_t offset;
  int has_failed;
  char message[208];
} ikran_tiff_source;

/// What the first directory says of its samples, and of the blocks that have them.
typedef struct {
  uint32_t width, height;
  uint32_t block_width, block_height;  // of a tile or a strip
  int is_tiled, is_separate;
  uint16_t bits, samples, sample_format, photometric, compression, ink_set;
  uint16_t extras;     // samples that are no colours
  int alpha;           // the number of a sample; -1 for none
  int is_associated;   // colours are multiplied by alpha
} ikran_tiff_layout;

static inline tmsize_t ikran_tiff_read(thandle_t handle, void *target, tmsize_t count) {
  ikran_tiff_source *source = (ikran_tiff_source *)handle;
  if (count <= 0 || source->offset >= source->count) return 0;
  uint64_t there = source->count - source->offset;
  uint64_t length = (uint64_t)count < there ? (uint64_t)count : there;
  memcpy(target, source->bytes + source->offset, length);
  source->offset += length;
  return (tmsize_t)length;
}

static inline tmsize_t ikran_tiff_write(thandle_t handle, void *bytes, tmsize_t count) {
  (void)handle, (void)bytes, (void)count;
  return 0;
}

static inline toff_t ikran_tiff_seek(thandle_t handle, toff_t offset, int origin) {
  ikran_tiff_source *source = (ikran_tiff_source *)handle;
  // Unsigned sums wrap; a read beyond the end has no bytes.
  if (origin == SEEK_CUR) offset += source->offset;
  if (origin == SEEK_END) offset += source->count;
  source->offset = offset;
  return offset;
}

static inline int ikran_tiff_end(thandle_t handle) {
  (void)handle;
  return 0;
}

static inline toff_t ikran_tiff_size(thandle_t handle) {
  return ((ikran_tiff_source *)handle)->count;
}

static inline int ikran_tiff_on_error(TIFF *file, void *data, const char *module,
                                      const char *format, va_list arguments) {
  (void)file, (void)module;
  ikran_tiff_source *source = (ikran_tiff_source *)data;
  if (!source->has_failed) vsnprintf(source->message, sizeof source->message, format, arguments);
  source->has_failed = 1;
  return 1;
}

static inline int ikran_tiff_on_warning(TIFF *file, void *data, const char *module,
                                        const char *format, va_list arguments) {
  (void)file, (void)data, (void)module, (void)format, (void)arguments;
  return 1;
}

/// A file of `count` bytes.
static inline ikran_tiff_source ikran_tiff_begin(const uint8_t *_Nonnull bytes, uint64_t count) {
  ikran_tiff_source source = {.bytes = bytes, .count = count};
  return source;
}

/// `TIFFClientOpenExt`, with at most `most` bytes for one allocation; NULL when it cannot be read.
/// Of a file whose first directory is not wanted, which may be damaged, the header alone is read.
static inline TIFF *_Nullable ikran_tiff_open(ikran_tiff_source *_Nonnull source, int64_t most,
                                              int header_only) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, most);
  TIFFOpenOptionsSetErrorHandlerExtR(options, ikran_tiff_on_error, source);
  TIFFOpenOptionsSetWarningHandlerExtR(options, ikran_tiff_on_warning, source);
  TIFF *file = TIFFClientOpenExt("the file", header_only ? "rmh" : "rm", source, ikran_tiff_read, ikran_tiff_write,
                                 ikran_tiff_seek, ikran_tiff_end, ikran_tiff_size, NULL, NULL,
                                 options);
  TIFFOpenOptionsFree(options);
  return file;
}

/// Which sample is alpha. As most programs have it, one sample more than the colours need is, where
/// the file does not say what it is.
static inline void ikran_tiff_find_alpha(TIFF *_Nonnull file, ikran_tiff_layout *_Nonnull layout) {
  uint16_t count = 0, *types = NULL;
  layout->alpha = -1;
  layout->is_associated = 0;
  if (!TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &count, &types)) count = 0;
  int colors = layout->photometric == PHOTOMETRIC_SEPARATED ? 4
               : layout->photometric == PHOTOMETRIC_RGB     ? 3
                                                            : 1;
  if (count == 0 && colors > 1 && layout->samples == colors + 1) {
    layout->extras = 1;
    layout->alpha = colors;
    return;
  }
  layout->extras = count;
  for (int index = 0; types && index < count && count < layout->samples; index++) {
    if (types[index] != EXTRASAMPLE_ASSOCALPHA && types[index] != EXTRASAMPLE_UNASSALPHA) continue;
    layout->alpha = layout->samples - count + index;
    layout->is_associated = types[index] == EXTRASAMPLE_ASSOCALPHA;
    return;
  }
}

/// What the current directory says.
static inline ikran_tiff_layout ikran_tiff_describe(TIFF *_Nonnull file) {
  ikran_tiff_layout layout;
  memset(&layout, 0, sizeof layout);
  uint16_t planar = PLANARCONFIG_CONTIG;
  TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &layout.width);
  TIFFGetField(file, TIFFTAG_IMAGELENGTH, &layout.height);
  TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &layout.bits);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &layout.samples);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &layout.sample_format);
  TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &layout.compression);
  TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planar);
  TIFFGetFieldDefaulted(file, TIFFTAG_INKSET, &layout.ink_set);
  if (!TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &layout.photometric)) {
    int is_fax = layout.compression >= COMPRESSION_CCITTRLE &&
                 layout.compression <= COMPRESSION_CCITTFAX4;
    layout.photometric = layout.samples >= 3 ? PHOTOMETRIC_RGB
                         : is_fax            ? PHOTOMETRIC_MINISWHITE
                                             : PHOTOMETRIC_MINISBLACK;
  }
  layout.is_separate = planar == PLANARCONFIG_SEPARATE && layout.samples > 1;
  layout.is_tiled = TIFFIsTiled(file);
  if (layout.is_tiled) {
    TIFFGetField(file, TIFFTAG_TILEWIDTH, &layout.block_width);
    TIFFGetField(file, TIFFTAG_TILELENGTH, &layout.block_height);
  } else {
    layout.block_width = layout.width;
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &layout.block_height);
    if (layout.block_height > layout.height) layout.block_height = layout.height;
  }
  ikran_tiff_find_alpha(file, &layout);
  return layout;
}

/// Asks for red, green and blue of JPEG data that has luma and chroma.
static inline int ikran_tiff_want_rgb(TIFF *_Nonnull file) {
  return TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
}

/// Asks for samples of 8 bits, as a display has them, of data that has logarithms of light.
static inline int ikran_tiff_want_bytes(TIFF *_Nonnull file) {
  return TIFFSetField(file, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_8BIT);
}

/// Forgets how the picture must be turned, which `TIFFReadRGBAStrip` and `TIFFReadRGBATile` do in
/// part.
static inline int ikran_tiff_forget_orientation(TIFF *_Nonnull file) {
  return TIFFSetField(file, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
}

/// The three columns of the table of colours, each of 2 to the power of the bits; 0 without one.
static inline int ikran_tiff_palette(TIFF *_Nonnull file, uint16_t *_Nullable columns[_Nonnull 3]) {
  return TIFFGetField(file, TIFFTAG_COLORMAP, &columns[0], &columns[1], &columns[2]);
}

/// Memory of zeros, of which only what is written takes pages; NULL when there is none.
static inline uint8_t *_Nullable ikran_tiff_memory(size_t count) {
  return (uint8_t *)calloc(count, 1);
}

static inline void ikran_tiff_free(uint8_t *_Nullable memory) { free(memory); }
