#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IKRAN_SVG_MESSAGE 256

/// A document in librsvg.
typedef struct ikran_svg ikran_svg;

/// The size that a document gives itself, in pixels of CSS.
typedef struct {
  /// Whether width and height are both known; else each is negative where it is not.
  bool is_whole;
  double width, height;
  bool has_box;
  double box_width, box_height;
} ikran_svg_size;

typedef struct {
  double x, y, width, height;
} ikran_svg_rectangle;

/// Premultiplied BGRA.
typedef struct {
  uint8_t *pixels;
  int width, height, bytes_per_row;
} ikran_svg_canvas;

/// What is drawn: the document in a viewport of width × height, moved by (-x, -y) and scaled.
typedef struct {
  double x, y, scale_x, scale_y, width, height;
} ikran_svg_view;

typedef enum { IKRAN_SVG_DRAWN, IKRAN_SVG_FAILED, IKRAN_SVG_TOO_LARGE } ikran_svg_result;

/// Parses a document, which is read from memory and has no address: no file and no connection is
/// opened for it. NULL without memory; otherwise to be closed, also when it is not open.
ikran_svg *ikran_svg_open(const uint8_t *bytes, size_t count);
void ikran_svg_close(ikran_svg *svg);
bool ikran_svg_is_open(const ikran_svg *svg);
/// The first line of what librsvg last said.
const char *ikran_svg_message(const ikran_svg *svg);
ikran_svg_size ikran_svg_measure(ikran_svg *svg);
/// What the document draws in a viewport; false with a message.
bool ikran_svg_measure_ink(ikran_svg *svg, double width, double height, ikran_svg_rectangle *ink);
ikran_svg_result ikran_svg_draw(ikran_svg *svg, const ikran_svg_canvas *canvas, const ikran_svg_view *view);
