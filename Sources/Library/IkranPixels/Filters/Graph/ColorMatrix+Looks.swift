extension ColorMatrix {
  static let sepia = ColorMatrix([
    0.3588, 0.7044, 0.1368, 0, 0.2990, 0.5870, 0.1140, 0, 0.2392, 0.4696, 0.0912, 0,
  ])

  /// Hues turned by an angle in YIQ, as GPUImage turns them.
  init(hue degrees: Double) {
    let (cosine, sine) = (sinPi(degrees / 180 + 0.5), sinPi(degrees / 180))
    let toYIQ = ColorMatrix([
      0.299, 0.587, 0.114, 0, 0.595716, -0.274453, -0.321263, 0, 0.211456, -0.522591, 0.31135, 0,
    ])
    let turn = ColorMatrix([1, 0, 0, 0, 0, cosine, sine, 0, 0, -sine, cosine, 0])
    let back = ColorMatrix([
      1, 0.9563, 0.6210, 0, 1, -0.2721, -0.6474, 0, 1, -1.1070, 1.7046, 0,
    ])
    self = toYIQ.followed(by: turn).followed(by: back)
  }

  /// Luma shown as a colour between two.
  init(from dark: RGB, to light: RGB) {
    let rows = [
      (dark.red, light.red), (dark.green, light.green), (dark.blue, light.blue),
    ].map { dark, light in
      [Self.luma.red, Self.luma.green, Self.luma.blue].map { $0 * (light - dark) } + [dark]
    }
    self.init(rows.flatMap { $0 })
  }

  init(_ order: Filter.ChannelOrder) {
    switch order {
    case .invert: self.init(scale: -1, offset: 1)
    case .gray: self.init(gray: Self.luma)
    case .y: self.init(gray: RGB(0.299, 0.587, 0.114))
    case .bgra, .brga, .gbra, .grba, .rbga:
      let rows = order.rawValue.prefix(3).map { channel -> [Double] in
        [channel == "r" ? 1 : 0, channel == "g" ? 1 : 0, channel == "b" ? 1 : 0, 0]
      }
      self.init(rows.flatMap { $0 })
    }
  }

  init(_ preset: Filter.MatrixPreset) {
    switch preset {
    case .gray: self.init(gray: Self.luma)
    // Twice the contrast of gray around its middle.
    case .blackAndWhite:
      self = ColorMatrix(gray: Self.luma).followed(by: ColorMatrix(scale: 2, offset: -0.5))
    case .sepia: self = .sepia
    case .nostalgic:
      self = Self.sepia.mixed(0.5)
        .followed(by: ColorMatrix(scale: RGB(0.9, 0.9, 0.8), offset: RGB(0.08, 0.06, 0.04)))
    case .retro:
      self = ColorMatrix(gray: Self.luma).mixed(0.3)
        .followed(by: ColorMatrix(scale: RGB(1, 0.9, 0.7), offset: RGB(0.06, 0.04, 0.08)))
    case .polaroid:
      self.init([
        1.438, -0.062, -0.062, 0, -0.122, 1.378, -0.122, 0, -0.016, -0.016, 1.483, 0,
      ])
    case .invert, .negative:
      self.init(scale: -1, offset: 1)
      if preset == .negative { self = ColorMatrix(gray: Self.luma).followed(by: self) }
    case .warm: self.init(scale: RGB(1.1, 1, 0.9), offset: RGB(0.02, 0, -0.02))
    case .cool: self.init(scale: RGB(0.9, 1, 1.1), offset: RGB(-0.02, 0, 0.02))
    }
  }
}
