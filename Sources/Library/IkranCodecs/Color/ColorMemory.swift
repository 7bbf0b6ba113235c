import IkranPixels

/// The last conversions of a thread.
final class ColorMemory {
  private var entries: [(key: Key, outcome: Outcome)] = []
  /// How many times colours were read from the start.
  private(set) var readings = 0
  private let seed = UInt64.random(in: .min ... .max)

  private typealias Outcome = Result<ColorReading, ColorFault>

  private struct Key: Hashable {
    /// A profile, or what needs none.
    enum Colors: Hashable {
      case profile(ContentDigest)
      case plain(ColorSource)
    }

    let colors: Colors
    let model: ColorModel
    let isDeep: Bool
  }

  /// The memory that `workspace` owns, created if needed.
  static func of(_ workspace: Workspace) -> ColorMemory {
    if let memory = workspace.colorMemory as? ColorMemory { return memory }
    let memory = ColorMemory()
    workspace.colorMemory = memory
    return memory
  }

  /// One of the last four readings, or a new one; nothing where a file says nothing.
  func reading(
    _ source: ColorSource?,
    _ model: ColorModel,
    isDeep: Bool
  ) -> (reading: ColorReading, ignored: ColorFault?) {
    guard let source, source != .sRGB else { return (ColorReading(), nil) }
    let colors: Key.Colors =
      if case .icc(let bytes) = source {
        .profile(ContentDigest(of: bytes.span, seed: seed))
      } else {
        .plain(source)
      }
    let key = Key(colors: colors, model: model, isDeep: isDeep)
    let outcome: Outcome
    if let index = entries.lastIndex(where: { $0.key == key }) {
      outcome = entries.remove(at: index).outcome
    } else {
      readings += 1
      do throws(ColorFault) {
        outcome = .success(try ColorReading(source, model, isDeep: isDeep))
      } catch { outcome = .failure(error) }
    }
    entries.append((key, outcome))
    if entries.count > 4 { entries.removeFirst() }
    return switch outcome {
    case .success(let reading): (reading, nil)
    case .failure(let fault): (ColorReading(), fault)
    }
  }
}
