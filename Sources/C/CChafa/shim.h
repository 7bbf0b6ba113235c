#pragma once
#include <chafa.h>

// GLib's own structs belong to whichever module comes first, so Swift does not look into them.

static inline const char *ikran_string_bytes(const GString *text) { return text->str; }
static inline size_t ikran_string_length(const GString *text) { return text->len; }
