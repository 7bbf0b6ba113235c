/// A colour's channels, 0…1.
struct RGB: Sendable, Hashable {
  let red, green, blue: Double

  init(_ red: Double, _ green: Double, _ blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  init(_ color: Color) {
    self.init(Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255)
  }
}
