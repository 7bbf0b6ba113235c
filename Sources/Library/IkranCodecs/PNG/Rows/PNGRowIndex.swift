import IkranPixels

/// Where some rows of a picture begin in its file, so that decoding can start there.
///
/// It grows as far as the picture was decoded.
struct PNGRowIndex: Sendable {
  /// What is known before a row is decoded.
  struct Checkpoint: Sendable {
    let y: Int
    let data: PNGDataCheckpoint
    /// The row above, unfiltered.
    let above: [UInt8]
  }

  /// The most memory of all checkpoints together.
  private static let byteLimit = 16 << 20

  private var checkpoints: [Checkpoint] = []

  /// The first row that a checkpoint is wanted for, in a picture with this header.
  func next(_ header: PlainPNGHeader) -> Int {
    let most = max(Self.byteLimit / (PNGDataCheckpoint.byteCount + header.rowBytes), 1)
    return (checkpoints.last?.y ?? 0) + (header.size.height + most - 1) / most
  }

  /// Adds a checkpoint of a row not before the next one that is wanted.
  mutating func append(_ checkpoint: Checkpoint) { checkpoints.append(checkpoint) }

  /// The last checkpoint that is not after a row.
  func checkpoint(for y: Int) -> Checkpoint? { checkpoints.last { $0.y <= y } }
}
