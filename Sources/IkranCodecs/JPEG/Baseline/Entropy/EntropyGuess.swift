/// The blocks of a window, decoded from many places of it at once: the first is known, the others
/// are guessed.
///
/// Blocks are taken from one stretch after the other. Between two of them, and wherever a guess was
/// wrong, somebody else decodes blocks until one begins where a block of the next stretch does, and
/// is of the same kind: from there on the stretch is right.
struct EntropyGuess {
  /// Working memory.
  struct Memory {
    /// Room for ``EntropyGuess/stretchCount``.
    let stretches: UnsafeMutablePointer<EntropyStretch>
    /// Room for ``EntropyGuess/blockCount``, and for their coefficients.
    let starts: UnsafeMutablePointer<UInt32>
    let values: UnsafeMutablePointer<Int16>
  }

  /// The most bytes of a window: long stretches are rarely wrong for long.
  static let mostWindowBytes = 262_144
  /// Blocks for which there is room in a window, whose bytes are chosen so.
  static let blockCount = 65_536
  /// Bits of a stretch: the last of a window are short, so that the lanes end at the same time.
  private static let stretchBits = 8_192..<131_072
  static let stretchCount = 64
  /// Bytes up to a marker below which nothing is guessed.
  static let fewestBytes = EntropyLanes.count * stretchBits.lowerBound / 8

  /// Coefficients to allocate for MCUs that have `coefficients` in `kinds` blocks.
  static func valueCount(_ coefficients: Int, kinds: Int) -> Int {
    (blockCount / kinds + 2 * stretchCount) * coefficients
  }

  private let memory: Memory?
  /// The slots of an MCU whose blocks are all shown, and how many.
  private let slots: UnsafePointer<BlockSlot>
  private let kinds: Int
  /// Coefficients that those blocks have room for.
  private let coefficients: Int
  /// Bits of a block, for which there is room: where blocks are smaller, stretches end early.
  private let blockBits: Int
  /// Stretches whose blocks may still come.
  private var coming = 0..<0
  /// Blocks of the first of them that were passed, and the coefficients of those behind.
  private var passed = 0
  private var values: UnsafePointer<Int16>?
  /// Blocks of it that are known to come next.
  private(set) var ready = 0

  /// Guesses blocks of MCUs of `kinds` blocks, which have `meanBits` in this file; none without
  /// memory.
  init(_ memory: Memory?, _ slots: UnsafePointer<BlockSlot>, kinds: Int, meanBits: Int) {
    (self.memory, self.slots, self.kinds) = (memory, slots, kinds)
    blockBits = min(max(meanBits / 2, 4), 32)
    coefficients = (0..<kinds).reduce(0) { $0 + slots[$1].stride }
  }

  /// Bytes of the window; nil where nothing is guessed.
  var windowBytes: Int? {
    memory == nil ? nil : min(Self.mostWindowBytes, Self.blockCount * blockBits / 8)
  }

  /// The bit that the next stretch begins at; nil when none comes.
  var next: Int? {
    guard let first = coming.first, let memory else { return nil }
    return memory.stretches[first].bits.lowerBound
  }

  /// Decodes `bits` of a window when that is worth it; the first block is of the kind `phase`.
  ///
  /// The window has ``EntropyDecoder/reserve`` bytes more.
  mutating func begin(_ window: UnsafePointer<UInt8>, bits: Range<Int>, phase: Int) {
    (coming, ready) = (0..<0, 0)
    guard let memory else { return }
    let count = layOut(bits, memory)
    guard count >= EntropyLanes.count else { return }
    EntropyLanes.decode(
      UnsafeMutableBufferPointer(start: memory.stretches, count: count),
      slots,
      kinds: kinds,
      from: phase,
      window
    )
    coming = 0..<count
    beginStretch()
    join(at: bits.lowerBound, phase: phase)
  }

  /// Divides bits into stretches, and answers how many.
  private func layOut(_ bits: Range<Int>, _ memory: Memory) -> Int {
    var (first, count) = (bits.lowerBound, 0)
    var (starts, values) = (memory.starts, memory.values)
    while bits.upperBound - first >= Self.stretchBits.lowerBound, count < Self.stretchCount {
      let share = (bits.upperBound - first) / (2 * EntropyLanes.count)
      let length = min(max(share, Self.stretchBits.lowerBound), Self.stretchBits.upperBound)
      let room = length / blockBits
      let stretch = EntropyStretch(
        bits: first..<first + length,
        room: room,
        starts: starts,
        values: values
      )
      (memory.stretches + count).initialize(to: stretch)
      (first, count) = (first + length, count + 1)
      (starts, values) = (starts + room, values + (room / kinds + 2) * coefficients)
    }
    return count
  }

  /// Looks whether the block at `position`, of the kind `phase`, is a stretch's.
  mutating func join(at position: Int, phase: Int) {
    while let first = coming.first, let memory {
      let stretch = memory.stretches[first]
      while passed < stretch.count, Int(stretch.starts[passed]) < position {
        values? += slots[(stretch.phase + passed) % kinds].stride
        passed += 1
      }
      guard passed == stretch.count else {
        let isSame = Int(stretch.starts[passed]) == position
        if isSame, (stretch.phase + passed) % kinds == phase { ready = stretch.count - passed }
        return
      }
      nextStretch()
    }
  }

  /// Takes blocks `first…` below `count` that are ready, and answers where it stopped; nil for damage.
  mutating func take(
    _ slots: UnsafePointer<BlockSlot>,
    from first: Int,
    count: Int,
    _ sums: UnsafeMutablePointer<Int>
  ) -> Int? {
    guard var values else { return nil }
    let last = min(first + ready, count)
    // In registers: each sum waits for the last one.
    var (luma, blue, red) = (sums[0], sums[1], sums[2])
    for index in first..<last {
      let slot = slots + index
      let (block, component) = (slot.pointee.block, slot.pointee.component)
      let sum = (component == 0 ? luma : component == 1 ? blue : red) &+ Int(values[0])
      luma = component == 0 ? sum : luma
      blue = component == 1 ? sum : blue
      red = component == 2 ? sum : red
      if sum.magnitude > UInt(bitPattern: slot.pointee.range) { return nil }
      if slot.pointee.limit > 0 {
        EntropyDecoder.copy(values, to: block, count: slot.pointee.stride)
      }
      block[0] = Int16(truncatingIfNeeded: sum)
      values += slot.pointee.stride
    }
    (sums[0], sums[1], sums[2]) = (luma, blue, red)
    self.values = values
    passed += last - first
    ready -= last - first
    return last
  }

  /// Leaves the stretch, all of whose blocks were taken or none of whose others is wanted, and
  /// answers the bit that comes next.
  mutating func leave() -> Int {
    guard let first = coming.first, let memory else { return 0 }
    let stretch = memory.stretches[first]
    defer { nextStretch() }
    return ready > 0 ? Int(stretch.starts[passed]) : stretch.end
  }

  private mutating func nextStretch() {
    coming = coming.dropFirst()
    beginStretch()
  }

  private mutating func beginStretch() {
    (passed, ready) = (0, 0)
    if let first = coming.first, let memory {
      values = UnsafePointer(memory.stretches[first].values)
    }
  }
}
