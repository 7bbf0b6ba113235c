#pragma once
#include "../planes.h"

/// A channel of a colour in HSL: `at` is the hue in twelfths of a turn, moved by that of the channel.
INLINE float hsl_channel(float at, float lightness, float reach) {
  at -= 12 * floorf(at * (1 / 12.f));
  const float ramp = most(-1, least(least(at - 3, 9 - at), 1));
  return clamp1(lightness - reach * ramp);
}

/// Turns hues by `turn` twelfths; 0 changes nothing, -1 takes all and 1 gives all of the others.
INLINE void hsl(const ikran_point_step *s, Planes *restrict p) {
  const float turn = s->hsl.turn, saturation = s->hsl.saturation, lightness = s->hsl.lightness;
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    const float top = most(r, most(g, b)), low = least(r, least(g, b)), range = top - low;
    const float inverse = range > 0 ? 2 / range : 0;
    const float hue = top == r ? (g - b) * inverse
        : top == g ? (b - r) * inverse + 4 : (r - g) * inverse + 8;
    const float light = (top + low) * .5f, room = least(light, 1 - light);
    const float vivid = room > 0 ? least(1, range * .5f / room) : 0;
    // Grays have no hue that could become vivid.
    const float gain = saturation < 0 ? vivid : range > 0 ? 1 - vivid : 0;
    const float chroma = clamp1(vivid + gain * saturation);
    const float l = clamp1(light + (lightness > 0 ? 1 - light : light) * lightness);
    const float at = hue + turn, reach = chroma * least(l, 1 - l);
    p->r[i] = hsl_channel(at, l, reach);
    p->g[i] = hsl_channel(at + 8, l, reach);
    p->b[i] = hsl_channel(at + 4, l, reach);
  }
}
