/// The values of a filter that is about to run, by their places; a definition names each kind
/// itself.
struct FilterArguments {
  let values: [FilterValue]
  /// Pixels per point.
  let scale: Double

  func number(_ index: Int) -> Double {
    if case .number(let number) = values[index] { number.value } else { 0 }
  }

  /// A length in pixels, at most a million.
  func pixels(_ index: Int) -> Double { min(number(index) * scale, 1_000_000) }

  func color(_ index: Int) -> Color {
    if case .color(let color) = values[index] { color } else { .black }
  }

  func word<Word: RawRepresentable<String>>(_ index: Int, _ standard: Word) -> Word {
    if case .word(let text) = values[index] { Word(rawValue: text) ?? standard } else { standard }
  }

  /// Ready-made values; nil where there are none.
  func preset<Word: RawRepresentable<String>>(_ index: Int, _: Word.Type) -> Word? {
    if case .word(let text) = values[index] { Word(rawValue: text) } else { nil }
  }

  func list(_ index: Int) -> [Double] {
    if case .list(let numbers) = values[index] { numbers.map(\.value) } else { [] }
  }

  func image(_ index: Int) -> Bitmap? {
    if case .image(let image) = values[index] { image.picture } else { nil }
  }

  func table(_ index: Int) -> LookupTable? {
    if case .table(let table) = values[index] { table } else { nil }
  }
}
