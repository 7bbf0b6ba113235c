import IkranPixels

/// The chunks of an animated PNG, parsed without decompression.
struct PNGFrameList {
  /// Frames whose chunks are all there.
  private(set) var frames: [PNGFrameHeader] = []
  /// How often the animation plays, 0 = forever.
  private(set) var plays = 0
  /// The chunks that every frame needs: the palette and the transparent colours.
  private(set) var sharedChunks: [Range<Int>] = []
  /// What is wrong after the last frame; nil when the bytes just end.
  private(set) var fault: DecodeError?
  /// Whether the file has no more frames.
  private(set) var isComplete = false
  private let canvas: ImageInfo
  /// The frame whose data is read.
  private var current: PNGFrameHeader?
  private var nextSequence = 0
  private var seenPixels = false

  /// Parses the chunks in `bytes`, whose headers are `canvas`.
  init(_ bytes: Span<UInt8>, _ canvas: ImageInfo, isPrefix: Bool) {
    self.canvas = canvas
    var offset = 33
    do throws(DecodeError) {
      while !isComplete, let length = bytes.bigEndian32(at: offset), offset + 8 <= bytes.count {
        if endsFrame(bytes, at: offset) { finishFrame() }
        if isComplete { break }
        guard length <= bytes.count - offset - 12 else { return }
        try read(bytes, chunk: offset..<offset + 12 + length)
        offset += 12 + length
      }
      // Some files end without the end chunk.
      if !isPrefix, frames.count + 1 == canvas.frames { finishFrame() }
    } catch { fault = error }
  }

  /// Whether a file has no room for so many frames: each has a control chunk and one with data.
  static func cannotHold(_ frames: Int, byteCount: Int) -> Bool { frames > byteCount / (38 + 12) }

  /// The frame of an animation with one that hides its default picture; nil for other files, and
  /// when it is not whole.
  static func onlyFrame(_ bytes: Span<UInt8>, _ canvas: ImageInfo) -> PNGFrameHeader? {
    guard !canvas.isAnimated, PNGHeader.hidesDefault(bytes) else { return nil }
    return PNGFrameList(bytes, canvas, isPrefix: false).frames.first
  }

  private func endsFrame(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
    bytes.has("fcTL", at: offset + 4) || bytes.has("IEND", at: offset + 4)
  }

  private mutating func finishFrame() {
    guard let frame = current, !frame.chunks.isEmpty else { return }
    frames.append(frame)
    current = nil
    isComplete = frames.count == canvas.frames
  }

  private mutating func read(_ bytes: Span<UInt8>, chunk: Range<Int>) throws(DecodeError) {
    let type = chunk.lowerBound + 4
    if bytes.has("IDAT", at: type) {
      seenPixels = true
      if nextSequence <= 1 { addData(chunk) }
    } else if bytes.has("fdAT", at: type) {
      try checkSequence(bytes, chunk)
      guard seenPixels, current != nil else {
        throw .malformed(.png, offset: type, reason: "a frame's data has no control chunk")
      }
      addData(chunk)
    } else if bytes.has("fcTL", at: type) {
      try checkSequence(bytes, chunk)
      guard current == nil else {
        throw .malformed(.png, offset: type, reason: "a frame has no data")
      }
      try PNGHandle.check(bytes, chunk)
      current = try PNGFrameHeader(bytes, at: chunk.lowerBound, on: canvas)
    } else if bytes.has("IEND", at: type) {
      let reason = "it has \(frames.count) of \(canvas.frames) frames"
      throw .malformed(.png, offset: type, reason: reason)
    } else if !seenPixels {
      if bytes.has("acTL", at: type) { plays = bytes.bigEndian32(at: type + 8) ?? 0 }
      if bytes.has("PLTE", at: type) || bytes.has("tRNS", at: type) { sharedChunks.append(chunk) }
    }
  }

  private mutating func addData(_ chunk: Range<Int>) {
    guard let frame = current else { return }
    let start = frame.chunks.isEmpty ? chunk.lowerBound : frame.chunks.lowerBound
    current?.chunks = start..<chunk.upperBound
  }

  /// Control chunks and data are numbered together, from 0.
  private mutating func checkSequence(
    _ bytes: Span<UInt8>,
    _ chunk: Range<Int>
  ) throws(DecodeError) {
    let number = bytes.bigEndian32(at: chunk.lowerBound + 8)
    guard chunk.count >= 16, number == nextSequence else {
      let found = number.map(String.init) ?? "none"
      let reason = "chunk \(nextSequence) of the animation has the number \(found)"
      throw .malformed(.png, offset: chunk.lowerBound, reason: reason)
    }
    nextSequence += 1
  }
}
