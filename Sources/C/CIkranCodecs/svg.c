// librsvg and cairo behind functions of ours: their headers bring GLib's, and in one Swift program two
// modules that bring GLib take its declarations from each other.
#include "CIkranCodecs.h"

#if __has_include(<librsvg/rsvg.h>)
#include <librsvg/rsvg.h>
#include <stdlib.h>
#include <string.h>

struct ikran_svg {
  RsvgHandle *handle;
  char message[IKRAN_SVG_MESSAGE];
};

static void keep_message(ikran_svg *svg, GError *error) {
  strncpy(svg->message, error && error->message ? error->message : "it cannot be drawn", IKRAN_SVG_MESSAGE - 1);
  svg->message[strcspn(svg->message, "\r\n")] = 0;
  g_clear_error(&error);
}

ikran_svg *ikran_svg_open(const uint8_t *bytes, size_t count) {
  ikran_svg *svg = calloc(1, sizeof *svg);
  if (!svg) return NULL;
  GError *error = NULL;
  svg->handle = rsvg_handle_new_from_data(bytes, count, &error);
  if (svg->handle)
    rsvg_handle_set_dpi(svg->handle, 96);
  else
    keep_message(svg, error);
  return svg;
}

void ikran_svg_close(ikran_svg *svg) {
  if (svg->handle) g_object_unref(svg->handle);
  free(svg);
}

bool ikran_svg_is_open(const ikran_svg *svg) { return svg->handle != NULL; }

const char *ikran_svg_message(const ikran_svg *svg) { return svg->message; }

// A length in pixels of CSS; negative for a share.
static double pixels(gboolean is_given, RsvgLength length) {
  if (!is_given) return -1;
  switch (length.unit) {
    case RSVG_UNIT_PX: return length.length;
    // Fonts are not asked for one side.
    case RSVG_UNIT_EM: return length.length * 16;
    case RSVG_UNIT_EX: return length.length * 8;
    case RSVG_UNIT_IN: return length.length * 96;
    case RSVG_UNIT_CM: return length.length * 96 / 2.54;
    case RSVG_UNIT_MM: return length.length * 96 / 25.4;
    case RSVG_UNIT_PT: return length.length * 96 / 72;
    case RSVG_UNIT_PC: return length.length * 16;
    default: return -1;
  }
}

ikran_svg_size ikran_svg_measure(ikran_svg *svg) {
  ikran_svg_size size = {0};
  gboolean has_width, has_height, has_box;
  RsvgLength width, height;
  RsvgRectangle box;
  rsvg_handle_get_intrinsic_dimensions(svg->handle, &has_width, &width, &has_height, &height, &has_box, &box);
  size.is_whole = rsvg_handle_get_intrinsic_size_in_pixels(svg->handle, &size.width, &size.height);
  if (!size.is_whole) {
    size.width = pixels(has_width, width);
    size.height = pixels(has_height, height);
  }
  size.has_box = has_box;
  if (has_box) {
    size.box_width = box.width;
    size.box_height = box.height;
  }
  return size;
}

bool ikran_svg_measure_ink(ikran_svg *svg, double width, double height, ikran_svg_rectangle *ink) {
  const RsvgRectangle viewport = {0, 0, width, height};
  RsvgRectangle drawn, logical;
  GError *error = NULL;
  if (!rsvg_handle_get_geometry_for_layer(svg->handle, NULL, &viewport, &drawn, &logical, &error)) {
    keep_message(svg, error);
    return false;
  }
  *ink = (ikran_svg_rectangle){drawn.x, drawn.y, drawn.width, drawn.height};
  return true;
}

ikran_svg_result ikran_svg_draw(ikran_svg *svg, const ikran_svg_canvas *canvas, const ikran_svg_view *view) {
  cairo_surface_t *surface = cairo_image_surface_create_for_data(
      canvas->pixels, CAIRO_FORMAT_ARGB32, canvas->width, canvas->height, canvas->bytes_per_row);
  ikran_svg_result result = IKRAN_SVG_TOO_LARGE;
  if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
    cairo_t *context = cairo_create(surface);
    cairo_scale(context, view->scale_x, view->scale_y);
    cairo_translate(context, -view->x, -view->y);
    const RsvgRectangle viewport = {0, 0, view->width, view->height};
    GError *error = NULL;
    result = IKRAN_SVG_DRAWN;
    if (!rsvg_handle_render_document(svg->handle, context, &viewport, &error)) {
      keep_message(svg, error);
      result = IKRAN_SVG_FAILED;
    }
    cairo_destroy(context);
    cairo_surface_flush(surface);
  }
  cairo_surface_destroy(surface);
  return result;
}
#endif
