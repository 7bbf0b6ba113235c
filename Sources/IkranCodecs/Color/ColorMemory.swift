import IkranPixels

/// The last conversions of a thread.
final class ColorMemory {
  private var entries: [(key: Key, outcome: Outcome)] = []
  private let seed = UInt64.random(in: .min ... .max)

  private typealias Outcome = Result<ColorConversion?, ColorFault>

  private struct Key: Hashable {
    /// A profile, or what needs none.
    enum Colors: Hashable {
      case profile(ProfileDigest)
      case plain(ColorSource)
    }

    let colors: Colors
    let model: ColorModel
  }

  /// The memory that `workspace` owns, created if needed.
  static func of(_ workspace: Workspace) -> ColorMemory {
    if let memory = workspace.colorMemory as? ColorMemory { return memory }
    let memory = ColorMemory()
    workspace.colorMemory = memory
    return memory
  }

  /// One of the last four conversions, or a new one.
  func conversion(
    _ source: ColorSource,
    _ model: ColorModel
  ) -> (conversion: ColorConversion?, ignored: ColorFault?) {
    let key: Key
    if case .icc(let bytes) = source {
      key = Key(colors: .profile(ProfileDigest(bytes, seed: seed)), model: model)
    } else {
      key = Key(colors: .plain(source), model: model)
    }
    let outcome: Outcome
    if let index = entries.lastIndex(where: { $0.key == key }) {
      outcome = entries.remove(at: index).outcome
    } else {
      do throws(ColorFault) {
        outcome = .success(try ColorConversion(source, model))
      } catch { outcome = .failure(error) }
    }
    entries.append((key, outcome))
    if entries.count > 4 { entries.removeFirst() }
    return switch outcome {
    case .success(let conversion): (conversion, nil)
    case .failure(let fault): (nil, fault)
    }
  }
}

/// Names a profile by its bytes, in 128 bits that depend on a secret number: nobody can make two
/// profiles of one name.
private struct ProfileDigest: Hashable {
  private var first: UInt64
  private var second: UInt64
  private let count: Int

  init(_ profile: [UInt8], seed: UInt64) {
    (first, second, count) = (seed, ~seed &* 0x9E37_79B9_7F4A_7C15, profile.count)
    let bytes = profile.span
    var word: UInt64 = 0
    for index in bytes.indices {
      word = word << 8 | UInt64(bytes[index])
      if index & 7 == 7 {
        add(word)
        word = 0
      }
    }
    add(word)
  }

  private mutating func add(_ word: UInt64) {
    let one = (first ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    first = one.high ^ one.low &+ 0x1656_67B1_9E37_79F9
    let other = (second &+ word).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
    second = (other.high ^ other.low) &+ first
  }
}
