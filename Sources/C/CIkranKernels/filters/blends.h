#pragma once
#include "planes.h"

// The modes of CSS compositing (W3C, 2015) and Photoshop's others: one colour `s` over another, `c`.

/// Numbered as in BlendMode.
enum {
  blend_add, blend_alpha, blend_color, blend_color_burn, blend_color_dodge, blend_darken,
  blend_darker_color, blend_difference, blend_dissolve, blend_divide, blend_exclusion,
  blend_hard_light, blend_hard_mix, blend_hue, blend_lighten, blend_lighter_color,
  blend_linear_burn, blend_linear_light, blend_luminosity, blend_mask, blend_multiply,
  blend_normal, blend_overlay, blend_pin_light, blend_saturation, blend_screen,
  blend_soft_light, blend_source_over, blend_subtract, blend_vivid_light,
};

INLINE float burn(float c, float s) {
  const float v = s > 0 ? 1 - least(1, (1 - c) / s) : 0;
  return c >= 1 ? 1 : v;
}
INLINE float dodge(float c, float s) {
  const float v = s < 1 ? least(1, c / (1 - s)) : 1;
  return c <= 0 ? 0 : v;
}
INLINE float soft(float c, float s) {
  const float root = square_root(c), curve = ((16 * c - 12) * c + 4) * c;
  const float light = c <= .25f ? curve : root;
  return s <= .5f ? c - (1 - 2 * s) * c * (1 - c) : c + (2 * s - 1) * (light - c);
}
INLINE float vivid(float c, float s) {
  return s <= .5f ? burn(c, 2 * s) : dodge(c, 2 * s - 1);
}
INLINE float pin(float c, float s) {
  return s <= .5f ? least(c, 2 * s) : most(c, 2 * s - 1);
}

/// A mode that treats each channel by itself.
INLINE float channel(int mode, float c, float s) {
  switch (mode) {
    case blend_add: return least(1, c + s);
    case blend_color_burn: return burn(c, s);
    case blend_color_dodge: return dodge(c, s);
    case blend_darken: return least(c, s);
    case blend_difference: return c > s ? c - s : s - c;
    case blend_divide: return s > 0 ? least(1, c / s) : (c > 0 ? 1.f : 0.f);
    case blend_exclusion: return c + s - 2 * c * s;
    case blend_hard_light: return overlay(s, c);
    // Rounded like the bytes it came from: a sum of 255 is white on every path.
    case blend_hard_mix: return c + s >= 1 - .5f / 255 ? 1.f : 0.f;
    case blend_lighten: return most(c, s);
    case blend_linear_burn: return most(0, c + s - 1);
    case blend_linear_light: return clamp1(c + 2 * s - 1);
    case blend_multiply: return c * s;
    case blend_overlay: return overlay(c, s);
    case blend_pin_light: return pin(c, s);
    case blend_screen: return c + s - c * s;
    case blend_soft_light: return soft(c, s);
    case blend_subtract: return most(0, c - s);
    case blend_vivid_light: return vivid(c, s);
    default: return s;
  }
}

typedef struct {
  float r, g, b;
} Colour;

INLINE float light(Colour c) { return .3f * c.r + .59f * c.g + .11f * c.b; }
INLINE float low(Colour c) { return least(c.r, least(c.g, c.b)); }
INLINE float high(Colour c) { return most(c.r, most(c.g, c.b)); }

/// The colour with another luminosity, brought back into range towards gray.
INLINE Colour with_light(Colour c, float l) {
  const float d = l - light(c);
  c = (Colour){c.r + d, c.g + d, c.b + d};
  const float n = low(c), x = high(c);
  const float up = n < 0 ? l / (l - n) : 1, down = x > 1 ? (1 - l) / (x - l) : 1;
  const float k = least(up, down);
  return (Colour){l + (c.r - l) * k, l + (c.g - l) * k, l + (c.b - l) * k};
}

/// The colour with another saturation, its smallest channel 0.
INLINE Colour with_saturation(Colour c, float s) {
  const float n = low(c), span = high(c) - n, k = span > 0 ? s / span : 0;
  return (Colour){(c.r - n) * k, (c.g - n) * k, (c.b - n) * k};
}

/// The first of two colours, or the second; channel by channel, which processors do for many at once.
INLINE Colour chosen(int first, Colour c, Colour s) {
  return (Colour){first ? c.r : s.r, first ? c.g : s.g, first ? c.b : s.b};
}

/// A mode that looks at all three channels.
INLINE Colour whole(int mode, Colour c, Colour s) {
  switch (mode) {
    case blend_color: return with_light(s, light(c));
    case blend_darker_color: return chosen(light(c) <= light(s), c, s);
    case blend_hue:
      return with_light(with_saturation(s, high(c) - low(c)), light(c));
    case blend_lighter_color: return chosen(light(c) >= light(s), c, s);
    case blend_luminosity: return with_light(c, light(s));
    case blend_saturation:
      return with_light(with_saturation(c, high(s) - low(s)), light(c));
    default: return s;
  }
}

INLINE int is_whole(int mode) {
  return mode == blend_color || mode == blend_darker_color || mode == blend_hue ||
         mode == blend_lighter_color || mode == blend_luminosity || mode == blend_saturation;
}

/// `over` on `p`, each source pixel weighted by `share`; `keeps` leaves the alpha below as it is.
INLINE void blend_mode(int mode, Planes *restrict p, const Planes *restrict over, float share,
                       int keeps, size_t x, size_t y) {
  for (int i = 0; i < block; i++) {
    const Colour c = {p->r[i], p->g[i], p->b[i]}, s = {over->r[i], over->g[i], over->b[i]};
    const float below = p->a[i];
    float above = over->a[i] * share;
    if (mode == blend_mask) {
      p->a[i] = below * (1 - share + above * luma(s.r, s.g, s.b));
      continue;
    }
    if (mode == blend_dissolve)
      above = noise((uint32_t)(x + (size_t)i), (uint32_t)y) < above ? 1.f : 0.f;
    const Colour mixed = is_whole(mode) ? whole(mode, c, s)
                                        : (Colour){channel(mode, c.r, s.r), channel(mode, c.g, s.g),
                                                   channel(mode, c.b, s.b)};
    // Where nothing is below, the source shows as it is.
    const float part = keeps ? 1 : below;
    const Colour seen = {mix(s.r, mixed.r, part), mix(s.g, mixed.g, part), mix(s.b, mixed.b, part)};
    const float alpha = keeps ? below : above + below * (1 - above);
    const float weight = keeps ? above : alpha > 0 ? above / alpha : 0;
    // Sums of three channels round past both ends, and quotients carry that on.
    p->r[i] = clamp1(mix(c.r, seen.r, weight));
    p->g[i] = clamp1(mix(c.g, seen.g, weight));
    p->b[i] = clamp1(mix(c.b, seen.b, weight));
    p->a[i] = clamp1(alpha);
  }
}
