// Decision 42: Harbeth's looks, without their faults.
/// All standard filters, in the order in which they are listed.
enum FilterCatalogue {
  static let all: [FilterDefinition] =
    tone + color + light + tables + blurs + edges + looks + shapes

  static let tone: [FilterDefinition] = [
    .brightness, .contrast, .exposure, .gamma, .levels, .curves, .highlightShadow, .posterize,
    .threshold, .equalize,
  ]
  static let color: [FilterDefinition] = [
    .saturation, .vibrance, .hue, .temperature, .whiteBalance, .grayed, .sepia, .monochrome,
    .falseColor, .color, .channels, .hsl, .colorBalance,
  ]
  static let light: [FilterDefinition] = [
    .opacity, .haze, .granularity, .vignette, .chromaKey, .blend, .tint, .gradient,
  ]
  static let tables: [FilterDefinition] = [.matrix, .lookup, .lookup512, .cube]

  static let blurs: [FilterDefinition] = [
    .blur, .meanBlur, .motionBlur, .zoomBlur, .bilateralBlur, .tiltShift, .median,
  ]
  static let edges: [FilterDefinition] = [
    .sharpen, .clarity, .sobel, .sketch, .toon, .convolution, .erode, .dilate,
    .canny,
  ]
  static let looks: [FilterDefinition] = [
    .pixellated, .halftone, .swirl, .kuwahara, .oilPainting, .shiftGlitch, .soulOut, .splitScreen,
    .storyboard, .pinch, .bulge, .ripple, .mirror, .glassSphere, .polkaDot, .crosshatch, .cga,
    .blockGlitch,
  ]
  static let shapes: [FilterDefinition] = [.crop, .flip, .resize, .rotate, .affine, .round]

  private static let byName = Dictionary(
    all.map { (folded($0.name), $0) },
    uniquingKeysWith: { first, _ in first }
  )

  /// Finds a filter by its name; case and hyphens do not matter.
  static func named(_ name: some StringProtocol) -> FilterDefinition? { byName[folded(name)] }

  private static func folded(_ name: some StringProtocol) -> String {
    String(name.lowercased().filter { $0 != "-" })
  }
}

extension FilterCatalogue {
  /// Values that show what a filter does, where its defaults change nothing or too much.
  static let examples = [
    "brightness": "0.2", "contrast": "1.5", "exposure": "0.7", "gamma": "0.6",
    "levels": "black=0.1,middle=1.2,white=0.8",
    "curves": "all=0/0/0.25/0.15/0.75/0.85/1/1,blue=0/0.15/1/0.9",
    "highlightShadow": "highlights=0.4,shadows=0.6", "saturation": "1.8", "vibrance": "1",
    "temperature": "0.6", "whiteBalance": "7000,tint=40", "color": "#FFC080",
    "opacity": "0.5", "haze": "distance=-0.2,slope=0.3", "tint": "#3060C0,mode=softLight",
    "matrix": "preset=polaroid", "blur": "4", "meanBlur": "4", "motionBlur": "3,degrees=20",
    "zoomBlur": "4", "sharpen": "1", "convolution": "emboss", "pixellated": "0.04",
    "halftone": "0.03", "crop": "x=30,y=20,width=90,height=70",
    "resize": "width=120,height=60,mode=stretch", "rotate": "15",
    "hsl": "120,saturation=0.3", "colorBalance": "shadows=-0.2/0/0.4,highlights=0.4/0.1/-0.3",
    "clarity": "1,radius=8", "pinch": "0.7", "bulge": "0.7",
    "crosshatch": "0.05,lineWidth=0.008", "cga": "cyan,scale=0.012", "blockGlitch": "0.8,seed=3",
    "affine": "0.8/0.3/0/-0.1/0.8/0",
    "round": "24,border=3,color=#FFFFFF",
  ]
}
