#include "CIkranPoints.h"

#include "blends.h"
#include "colors/hsl.h"

typedef const ikran_point_step Step;

INLINE float row_sum(const ikran_matrix_row *m, float r, float g, float b) {
  return clamp1(m->red * r + m->green * g + m->blue * b + m->offset);
}

INLINE void matrix(Step *s, Planes *restrict p) {
  const ikran_matrix *m = &s->matrix;
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    p->r[i] = row_sum(&m->red, r, g, b);
    p->g[i] = row_sum(&m->green, r, g, b);
    p->b[i] = row_sum(&m->blue, r, g, b);
  }
}

INLINE float alpha_sum(const ikran_matrix_row *m, float r, float g, float b, float a) {
  return clamp1(m->red * r + m->green * g + m->blue * b + m->alpha * a + m->offset);
}

INLINE void matrix_alpha(Step *s, Planes *restrict p) {
  const ikran_matrix *m = &s->matrix;
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i], a = p->a[i];
    p->r[i] = alpha_sum(&m->red, r, g, b, a);
    p->g[i] = alpha_sum(&m->green, r, g, b, a);
    p->b[i] = alpha_sum(&m->blue, r, g, b, a);
    p->a[i] = alpha_sum(&m->alpha, r, g, b, a);
  }
}

/// The channel of a plane.
INLINE float channel_of(ikran_rgb color, int plane) {
  return plane == 0 ? color.red : plane == 1 ? color.green : color.blue;
}

#define EACH(body)                                        \
  for (int plane = 0; plane < 3; plane++) {               \
    float *restrict v = plane == 0 ? p->r : plane == 1 ? p->g : p->b; \
    for (int i = 0; i < block; i++) v[i] = body;          \
  }

INLINE void gamma_step(Step *s, Planes *restrict p) {
  const float exponent = s->gamma;
  EACH(least(1, power(v[i], exponent)))
}

INLINE void posterize(Step *s, Planes *restrict p) {
  const float levels = s->posterize, part = 1 / levels;
  EACH(least(1, floorf(v[i] * levels + .5f) * part))
}

/// A cell between two values of a table, and how far in it.
typedef struct {
  int cell;
  float part;
} Place;

INLINE Place place(float v, float from, float factor, int side) {
  const float at = clamp1((v - from) * factor) * (float)(side - 1);
  const int whole = (int)at, cell = whole < side - 2 ? whole : side - 2;
  return (Place){cell, at - (float)cell};
}

INLINE void table(Step *s, Planes *restrict p) {
  const ikran_lookup curves = s->table;
  const int side = curves.side, last = side - 2;
  const float share = curves.share, cells = (float)(side - 1);
  for (int plane = 0; plane < 3; plane++) {
    float *restrict v = plane == 0 ? p->r : plane == 1 ? p->g : p->b;
    const float *restrict t = curves.values + plane * side;
    const float from = channel_of(curves.low, plane), factor = channel_of(curves.factor, plane);
    if (share == 1 && from == 0 && factor == 1) {
      // Half the time of the loop below.
      for (int i = 0; i < block; i++) {
        const float at = clamp1(v[i]) * cells;
        const int whole = (int)at, cell = whole < last ? whole : last;
        v[i] = mix(t[cell], t[cell + 1], at - (float)cell);
      }
      continue;
    }
    for (int i = 0; i < block; i++) {
      const Place at = place(v[i], from, factor, side);
      v[i] = mix(v[i], mix(t[at.cell], t[at.cell + 1], at.part), share);
    }
  }
}

INLINE void vibrance(Step *s, Planes *restrict p) {
  const float amount = -3 * s->vibrance;
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    const float top = most(r, most(g, b)), share = (top - (r + g + b) * (1 / 3.f)) * amount;
    p->r[i] = clamp1(mix(r, top, share));
    p->g[i] = clamp1(mix(g, top, share));
    p->b[i] = clamp1(mix(b, top, share));
  }
}

// The third chroma of Harbeth's transposed YIQ matrices, shifted and brought back.
INLINE void white_balance_tint(Step *s, Planes *restrict p) {
  const float shift = s->white_balance_tint, bound = .5226f;
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    const float q = .114f * r - .322f * g + .311f * b;
    const float d = most(-bound, least(bound, q + shift)) - q;
    p->r[i] = clamp1(r + d);
    p->g[i] = clamp1(g - 1.105f * d);
    p->b[i] = clamp1(b + 1.702f * d);
  }
}

INLINE void overlay_step(Step *s, Planes *restrict p) {
  const float share = s->overlay.share;
  for (int plane = 0; plane < 3; plane++) {
    float *restrict v = plane == 0 ? p->r : plane == 1 ? p->g : p->b;
    const float over = channel_of(s->overlay.color, plane);
    for (int i = 0; i < block; i++) v[i] = clamp1(mix(v[i], overlay(v[i], over), share));
  }
}

INLINE void threshold(Step *s, Planes *restrict p) {
  // Rounded like the bytes it came from: gray 128 reaches 128/255 on every path.
  const float from = s->threshold - 1e-5f;
  for (int i = 0; i < block; i++)
    p->r[i] = p->g[i] = p->b[i] = luma(p->r[i], p->g[i], p->b[i]) >= from ? 1.f : 0.f;
}

INLINE void monochrome(Step *s, Planes *restrict p) {
  const ikran_rgb color = s->monochrome.color;
  const float share = s->monochrome.share;
  for (int i = 0; i < block; i++) {
    const float l = luma(p->r[i], p->g[i], p->b[i]);
    p->r[i] = clamp1(mix(p->r[i], overlay(l, color.red), share));
    p->g[i] = clamp1(mix(p->g[i], overlay(l, color.green), share));
    p->b[i] = clamp1(mix(p->b[i], overlay(l, color.blue), share));
  }
}

INLINE void chroma_key(Step *s, Planes *restrict p) {
  const float blue = s->chroma_key.blue, red = s->chroma_key.red, from = s->chroma_key.threshold;
  const float to = from + s->chroma_key.smoothing;
  const ikran_rgba color = s->chroma_key.replacement;
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    const float y = .2989f * r + .5866f * g + .1145f * b;
    const float cb = .5647f * (b - y) - blue, cr = .7132f * (r - y) - red;
    const float kept = smooth(from, to, square_root(cb * cb + cr * cr)), gone = (1 - kept) * color.alpha;
    const float whole = kept + gone, share = whole > 0 ? gone / whole : 0;
    p->r[i] = mix(r, color.red, share);
    p->g[i] = mix(g, color.green, share);
    p->b[i] = mix(b, color.blue, share);
    p->a[i] *= whole;
  }
}

INLINE void highlights_shadows(Step *s, Planes *restrict p) {
  const float lift = 1 / (s->highlights_shadows.shadows + 1);
  const float drop = 1 / (1 + s->highlights_shadows.highlights);
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i], l = (r + g + b) * .3f;
    const float raised = power(l, lift), sunk = power(1 - l, drop);
    const float shadow = clamp1(raised - .76f * raised * raised - l);
    const float highlight = -clamp1(l - 1 + sunk - .8f * sunk * sunk);
    const float k = l > 0 ? (l + shadow + highlight) / l : 1;
    p->r[i] = clamp1(r * k);
    p->g[i] = clamp1(g * k);
    p->b[i] = clamp1(b * k);
  }
}

INLINE void haze(Step *s, Planes *restrict p, float height) {
  const float d = height * s->haze.slope + s->haze.distance;
  const float part = d < .999f ? 1 / (1 - d) : 1000;
  EACH(clamp1((v[i] - d) * part))
}

INLINE void vignette(Step *s, Planes *restrict p, float x, float width, float y) {
  const float start = s->vignette.start, end = s->vignette.end, middle = s->vignette.x;
  const float down = (y - s->vignette.y) * (y - s->vignette.y);
  const ikran_rgb color = s->vignette.color;
  for (int i = 0; i < block; i++) {
    const float across = (x + (float)i + .5f) / width - middle;
    const float share = smooth(start, end, square_root(across * across + down));
    p->r[i] = mix(p->r[i], color.red, share);
    p->g[i] = mix(p->g[i], color.green, share);
    p->b[i] = mix(p->b[i], color.blue, share);
  }
}

INLINE void grain(Step *s, Planes *restrict p, size_t x, size_t y) {
  const float amount = s->grain;
  for (int i = 0; i < block; i++) {
    const float d = noise((uint32_t)(x + (size_t)i), (uint32_t)y) * amount;
    p->r[i] = most(0, p->r[i] - d);
    p->g[i] = most(0, p->g[i] - d);
    p->b[i] = most(0, p->b[i] - d);
  }
}

INLINE void gray(Step *s, Planes *restrict p) {
  const int method = s->gray;
  for (int i = 0; i < block; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    const float top = most(r, most(g, b)), bottom = least(r, least(g, b));
    p->r[i] = p->g[i] = p->b[i] =
        method == 1 ? top : method == 2 ? bottom : (top + bottom) * .5f;
  }
}

INLINE void cube(Step *s, Planes *restrict p) {
  const ikran_lookup cube = s->cube;
  const int side = cube.side;
  const float share = cube.share;
  for (int i = 0; i < block; i++) {
    const Place r = place(p->r[i], cube.low.red, cube.factor.red, side);
    const Place g = place(p->g[i], cube.low.green, cube.factor.green, side);
    const Place b = place(p->b[i], cube.low.blue, cube.factor.blue, side);
    const float *t = cube.values + 4 * ((b.cell * side + g.cell) * side + r.cell);
    float out[3];
    for (int c = 0; c < 3; c++) {
      const float *u = t + c;
      const int down = 4 * side, deep = 4 * side * side;
      const float near = mix(mix(u[0], u[4], r.part), mix(u[down], u[down + 4], r.part), g.part);
      const float far = mix(mix(u[deep], u[deep + 4], r.part),
                            mix(u[deep + down], u[deep + down + 4], r.part), g.part);
      out[c] = mix(near, far, b.part);
    }
    p->r[i] = mix(p->r[i], out[0], share);
    p->g[i] = mix(p->g[i], out[1], share);
    p->b[i] = mix(p->b[i], out[2], share);
  }
}

INLINE void opacity(Step *s, Planes *restrict p) {
  for (int i = 0; i < block; i++) p->a[i] *= s->opacity;
}

#define MODE(m) case m: return blend_mode(m, p, &over, share, keeps, x, y);

INLINE void blend(Step *s, Planes *restrict p, size_t x, size_t y, size_t width) {
  Planes over;
  if (s->blend.pixels) {
    spread(s->blend.pixels + y * s->blend.stride + 4 * x, &over, width);
    for (size_t i = width; i < block; i++) over.r[i] = over.g[i] = over.b[i] = over.a[i] = 0;
  } else {
    const ikran_rgba color = s->blend.color;
    for (int i = 0; i < block; i++) {
      over.r[i] = color.red, over.g[i] = color.green, over.b[i] = color.blue;
      over.a[i] = color.alpha;
    }
  }
  const float share = s->blend.share;
  const int keeps = s->blend.keeps_alpha;
  switch (s->blend.mode) {
    MODE(blend_add) MODE(blend_color) MODE(blend_color_burn) MODE(blend_color_dodge)
    MODE(blend_darken) MODE(blend_darker_color) MODE(blend_difference) MODE(blend_dissolve)
    MODE(blend_divide) MODE(blend_exclusion) MODE(blend_hard_light) MODE(blend_hard_mix)
    MODE(blend_hue) MODE(blend_lighten) MODE(blend_lighter_color) MODE(blend_linear_burn)
    MODE(blend_linear_light) MODE(blend_luminosity) MODE(blend_mask) MODE(blend_multiply)
    MODE(blend_overlay) MODE(blend_pin_light) MODE(blend_saturation) MODE(blend_screen)
    MODE(blend_soft_light) MODE(blend_subtract) MODE(blend_vivid_light)
    default: return blend_mode(blend_normal, p, &over, share, keeps, x, y);
  }
}

INLINE void run_step(Step *s, const ikran_point_program *in, Planes *p, size_t x, size_t y,
                     size_t width) {
  const float height = in ? ((float)y + .5f) / (float)in->height : 0;
  switch (s->kind) {
    case ikran_point_matrix: return matrix(s, p);
    case ikran_point_matrix_alpha: return matrix_alpha(s, p);
    case ikran_point_gamma: return gamma_step(s, p);
    case ikran_point_posterize: return posterize(s, p);
    case ikran_point_table: return table(s, p);
    case ikran_point_vibrance: return vibrance(s, p);
    case ikran_point_white_balance_tint: return white_balance_tint(s, p);
    case ikran_point_overlay: return overlay_step(s, p);
    case ikran_point_threshold: return threshold(s, p);
    case ikran_point_monochrome: return monochrome(s, p);
    case ikran_point_chroma_key: return chroma_key(s, p);
    case ikran_point_highlights_shadows: return highlights_shadows(s, p);
    case ikran_point_haze: return haze(s, p, height);
    case ikran_point_vignette:
      return vignette(s, p, (float)x, in ? (float)in->width : 1, height);
    case ikran_point_grain: return grain(s, p, x, y);
    case ikran_point_gray: return gray(s, p);
    case ikran_point_cube: return cube(s, p);
    case ikran_point_blend: return blend(s, p, x, y, width);
    case ikran_point_opacity: return opacity(s, p);
    case ikran_point_hsl: return hsl(s, p);
    default: return;
  }
}

INLINE void gather(const uint8_t *restrict in, Planes *restrict to,
                   const float *restrict entries, size_t width) {
  for (size_t i = 0; i < width; i++) {
    to->r[i] = entries[in[4 * i + 2]];
    to->g[i] = entries[256 + in[4 * i + 1]];
    to->b[i] = entries[512 + in[4 * i]];
    to->a[i] = 1;
  }
}

INLINE void pack_opaque(const Planes *restrict p, uint8_t *restrict out, size_t width) {
  for (size_t i = 0; i < width; i++) {
    const int32_t r = (int32_t)(p->r[i] * 255 + .5f), g = (int32_t)(p->g[i] * 255 + .5f);
    const int32_t b = (int32_t)(p->b[i] * 255 + .5f);
    const uint32_t word = (uint32_t)(b | g << 8 | r << 16) | 0xFF000000u;
    __builtin_memcpy(out + 4 * i, &word, 4);
  }
}

INLINE void pack(const Planes *restrict p, uint8_t *restrict out, size_t width) {
  for (size_t i = 0; i < width; i++) {
    // Colours are multiplied by the alpha that is stored, so that none exceeds it.
    const int32_t whole = (int32_t)(p->a[i] * 255 + .5f);
    const float a = (float)whole;
    const int32_t r = (int32_t)(p->r[i] * a + .5f), g = (int32_t)(p->g[i] * a + .5f);
    const int32_t b = (int32_t)(p->b[i] * a + .5f);
    const uint32_t word = (uint32_t)(b | g << 8 | r << 16) | (uint32_t)whole << 24;
    __builtin_memcpy(out + 4 * i, &word, 4);
  }
}

INLINE int all_opaque(const uint8_t *restrict in, size_t width) {
  uint32_t all = 0xFFFFFFFFu;
  for (size_t i = 0; i < width; i++) {
    uint32_t word;
    __builtin_memcpy(&word, in + 4 * i, 4);
    all &= word;
  }
  return all >> 24 == 255;
}

INLINE void row_loop(const ikran_point_program *in, uint8_t *pixels, size_t x, size_t y,
                     size_t width) {
  Planes planes;
  // The unused end of a last, shorter block is computed, too, and must hold numbers.
  __builtin_memset(&planes, 0, sizeof planes);
  for (size_t done = 0; done < width; done += block) {
    const size_t n = width - done < block ? width - done : block;
    uint8_t *at = pixels + 4 * done;
    const int opaque = in->opaque || all_opaque(at, n);
    size_t first = 0;
    if (opaque && in->entries) {
      gather(at, &planes, in->entries, n);
      first = in->tabled;
    } else if (opaque) {
      spread_opaque(at, &planes, n);
    } else {
      spread(at, &planes, n);
    }
    for (size_t i = first; i < in->count; i++)
      run_step(in->steps + i, in, &planes, x + done, y, n);
    if (in->opaque) {
      pack_opaque(&planes, at, n);
    } else {
      pack(&planes, at, n);
    }
  }
}

INLINE void entries_loop(const ikran_point_step *steps, size_t count, float *entries) {
  Planes planes;
  for (int i = 0; i < block; i++) {
    planes.r[i] = planes.g[i] = planes.b[i] = (float)i * (1 / 255.f);
    planes.a[i] = 1;
  }
  for (size_t i = 0; i < count; i++) run_step(steps + i, NULL, &planes, 0, 0, block);
  __builtin_memcpy(entries, planes.r, sizeof planes.r);
  __builtin_memcpy(entries + block, planes.g, sizeof planes.g);
  __builtin_memcpy(entries + 2 * block, planes.b, sizeof planes.b);
}

TWICE(row, (const ikran_point_program *in, uint8_t *pixels, size_t x, size_t y, size_t width),
      (in, pixels, x, y, width))
TWICE(entries, (const ikran_point_step *steps, size_t count, float *entries),
      (steps, count, entries))

void ikran_point_row(const ikran_point_program *program, uint8_t *pixels, size_t x, size_t y,
                     size_t width, bool simd) {
  PICK(simd, row, program, pixels, x, y, width);
}

void ikran_point_entries(const ikran_point_step *steps, size_t count, float *entries, bool simd) {
  PICK(simd, entries, steps, count, entries);
}

bool ikran_point_is_opaque(const uint8_t *pixels, size_t width) {
  return all_opaque(pixels, width);
}

double ikran_power(double base, double exponent) { return pow(base, exponent); }
