/// Where MCUs of a picture begin in its file, so that decoding can start there.
///
/// It grows as far as the picture was decoded.
struct EntropyIndex: Sendable {
  /// What is known before an MCU is decoded.
  struct Checkpoint: Sendable {
    let mcu: Int
    let position: EntropyReader.Position
    /// The DC predictors of up to three components: an undamaged picture's have 13 bits.
    private let luma, blue, red: Int16

    init(mcu: Int, _ position: EntropyReader.Position, _ predictors: UnsafePointer<Int>) {
      (self.mcu, self.position) = (mcu, position)
      luma = Int16(truncatingIfNeeded: predictors[0])
      blue = Int16(truncatingIfNeeded: predictors[1])
      red = Int16(truncatingIfNeeded: predictors[2])
    }

    func restore(_ predictors: UnsafeMutablePointer<Int>) {
      (predictors[0], predictors[1], predictors[2]) = (Int(luma), Int(blue), Int(red))
    }
  }

  /// They take at most 8 MB.
  private static let mostCheckpoints = 1 << 18

  private var checkpoints: [Checkpoint] = []
  /// MCUs between two checkpoints: decoding so many takes a few microseconds.
  private var mcusApart = 64

  /// The first MCU that a checkpoint is wanted for.
  var next: Int { checkpoints.last.map { $0.mcu + mcusApart } ?? 0 }

  /// Adds a checkpoint of an MCU not before ``next``.
  mutating func append(_ checkpoint: Checkpoint) {
    if checkpoints.count == Self.mostCheckpoints {
      checkpoints = stride(from: 0, to: checkpoints.count, by: 2).map { checkpoints[$0] }
      mcusApart *= 2
    }
    checkpoints.append(checkpoint)
  }

  /// The last checkpoint that is not after an MCU.
  func checkpoint(for mcu: Int) -> Checkpoint? {
    var (low, high) = (0, checkpoints.count)
    while low < high {
      let middle = (low + high) / 2
      if checkpoints[middle].mcu <= mcu { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : checkpoints[low - 1]
  }
}
