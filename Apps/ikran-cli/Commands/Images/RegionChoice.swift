import Ikran

/// `--region` and `--size`: a rectangle of the picture in place of a style.
struct RegionChoice: Sendable {
  /// In pixels of the upright picture; nil without `--region`.
  var rectangle: PixelRectangle?
  /// The size of the result; nil is the rectangle's own.
  var size: PixelSize?
  /// Whether the picture around the rectangle must not matter.
  var isIsolated = false

  /// Refuses what contradicts it.
  func check(_ style: Style?, command: String) throws(UsageError) {
    if rectangle != nil, style != nil {
      throw UsageError(reason: "--region and --style exclude each other", command: command)
    }
    if rectangle == nil, size != nil {
      throw UsageError(reason: "--size needs --region", command: command)
    }
    if isIsolated, size == nil {
      throw UsageError(reason: "--isolated needs --region and --size", command: command)
    }
  }

  /// The style of the rectangle, whose size is in points; nil without one.
  ///
  /// Without a size it is the rectangle pixel for pixel, at any scale.
  func style(scale: Double) -> Style? {
    rectangle.map { rectangle in
      let (size, scale) = (size ?? rectangle.size, size == nil ? scale : 1)
      let (width, height) = (Double(size.width) / scale, Double(size.height) / scale)
      return .region(rectangle, width: width, height: height, isolated: isIsolated)
    }
  }
}

extension Option {
  /// `--region`, `--size` and `--isolated`; `unit` is what sizes are in.
  static func region(
    _ path: any WritableKeyPath<Root, RegionChoice> & Sendable,
    unit: String
  ) -> [Option] {
    [
      Option(
        name: "region",
        value: "X,Y,W,H",
        help: "only this rectangle of the upright picture,\n"
          + "in its pixels; no more of the file is decoded"
      ) { (root, word) throws(UsageError) in
        root[keyPath: path].rectangle = try Reading<PixelRectangle>.rectangle.read(word)
      },
      Option(
        name: "size",
        value: "WxH",
        help: "the region's size in \(unit) (default: its own)"
      ) { (root, word) throws(UsageError) in
        root[keyPath: path].size = try Reading<PixelSize>.pixelSize.read(word)
      },
      Option(
        name: "isolated",
        value: nil,
        help: "takes no colour from around the region, as for one\ncell of a sprite"
      ) { root, _ in root[keyPath: path].isIsolated = true },
    ]
  }
}

extension Reading where Value == PixelRectangle {
  /// `X,Y,W,H`.
  fileprivate static var rectangle: Reading {
    Reading("a rectangle such as 0,0,640,480: left, top, width and height in pixels") { word in
      let numbers = word.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
        let height = numbers[3], x >= 0, y >= 0, width > 0, height > 0
      else { return nil }
      return PixelRectangle(x: x, y: y, width: width, height: height)
    }
  }
}
