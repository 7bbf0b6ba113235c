import IkranPixels

// Decision 51: one large picture on several decoding threads.
/// The windows of a scan, which idle threads fill and decode before their blocks are taken.
///
/// Each has the same number of the file's bytes, so that any of them can be filled without the one
/// before; where its first block begins is known only when that one has been taken.
struct WindowsAhead {
  /// A window, and how many of its segments are decoded.
  struct Window {
    var window: EntropyWindow
    var segments = 0
  }

  /// How many there is memory for.
  static let count = 3
  /// How many times as small they are as the window of one thread.
  static let sizeDivisor = 2
  /// Scans of fewer bytes are decoded on one thread: the other would be awake too late.
  static let minimumBytes = 262_144

  /// Fills and decodes windows, on any thread.
  private struct Filler: @unchecked Sendable {  // a window has one writer; readers wait for it
    let source: UnsafeBufferPointer<UInt8>
    let start, capacity: Int
    let windows: UnsafeMutablePointer<Window>
    let decoder: SegmentDecoder

    func fill(_ number: Int) {
      let slot = number % WindowsAhead.count
      let window = windows + slot
      window.pointee.window.fill(
        source,
        boundary(number)..<boundary(number + 1),
        capacity: capacity
      )
      window.pointee.segments = decoder.decode(
        decoder.memory(part: slot),
        window.pointee.window.bytes,
        bits: 0..<window.pointee.window.count * 8,
        blockInMCU: 0
      )
    }

    /// Where a window begins: not between 0xFF and its stuffed zero.
    private func boundary(_ number: Int) -> Int {
      let even = min(start + number * capacity, source.count)
      let splitsStuffedByte = number > 0 && even < source.count && source[even - 1] == 0xFF
      return splitsStuffedByte ? even + 1 : even
    }
  }

  private let windows: UnsafeMutablePointer<Window>
  private let decoder: SegmentDecoder
  private let parts: any PartsAhead
  private var taken = 0

  /// Begins to fill and decode the windows of `source` from `start` on; nil when it is small or no
  /// thread is idle.
  ///
  /// `bytes` holds ``byteCount``, and `windows` ``count`` of them. All memory, the source's too,
  /// must outlive the call of ``end()``.
  init?(
    _ source: UnsafeBufferPointer<UInt8>,
    from start: Int,
    _ windows: UnsafeMutablePointer<Window>,
    _ bytes: UnsafeMutablePointer<UInt8>,
    _ decoder: SegmentDecoder,
    _ threads: (any IdleThreads)?
  ) {
    guard let threads, source.count - start >= Self.minimumBytes else { return nil }
    let capacity = decoder.windowBytes(isPart: true)
    for index in 0..<Self.count {
      let memory = bytes + index * EntropyWindow.byteCount(capacity)
      (windows + index).initialize(to: Window(window: EntropyWindow(memory, next: start)))
    }
    let filler = Filler(
      source: source,
      start: start,
      capacity: capacity,
      windows: windows,
      decoder: decoder
    )
    let count = (source.count - start + capacity - 1) / capacity
    guard let parts = threads.begin(count, ahead: Self.count, { filler.fill($0) }) else {
      return nil
    }
    (self.windows, self.decoder, self.parts) = (windows, decoder, parts)
  }

  /// Bytes to allocate for all windows.
  static var byteCount: Int {
    count * EntropyWindow.byteCount(SegmentDecoder.maximumWindowBytes / sizeDivisor)
  }

  /// The next window, filled and decoded, and its segments; nil after the last.
  mutating func next() -> (window: EntropyWindow, segments: UnsafePointer<Segment>, count: Int)? {
    guard parts.next() else { return nil }
    let slot = taken % Self.count
    taken += 1
    let segments = decoder.memory(part: slot).segments
    return (windows[slot].window, UnsafePointer(segments), windows[slot].segments)
  }

  /// Returns when no other thread works on the windows.
  func end() { parts.end() }
}
