#pragma once
// The oldest GTK that is built against: what later ones call deprecated is no warning.
#define GDK_VERSION_MIN_REQUIRED (G_ENCODE_VERSION (4, 8))
#include <glib-unix.h>
#include <gtk/gtk.h>
