#if AVIF || HEIC
import IkranPixels

/// A track of pictures in an ISO base media file (ISO/IEC 14496-12, section 8).
struct PictureTrack: Sendable {
  private(set) var number = 0
  private(set) var size = PixelSize(width: 0, height: 0)
  /// How its pictures are coded, as `av01`.
  private(set) var coding: String?
  private(set) var properties = PictureProperties([], Span<UInt8>())
  /// The number of pictures.
  private(set) var count = 0
  /// How long pictures are shown, in milliseconds; of ``mostDurations`` at most.
  private(set) var durations: [Int] = []
  /// How often it is played, 0 = for ever.
  private(set) var plays = 0
  /// The track that this is an auxiliary of.
  private(set) var owner: Int?
  /// Ticks of the file and of the track; the largest number for a length without end.
  private var length = 0
  private var ticksPerSecond = 0
  private var waits: Range<Int>?

  /// Durations of more pictures are not listed.
  private static let mostDurations = 65_536

  /// Reads the body of a `trak` box.
  init(_ bytes: Span<UInt8>, in range: Range<Int>) {
    read(bytes, in: range, below: "")
    listDurations(bytes)
    readEdits(bytes, in: range)
  }

  /// Whether it is read as the alpha of another track.
  var isAlpha: Bool { properties.auxiliaryType == nil || properties.isAlpha }

  /// The boxes that hold what is read, by those that hold them.
  private static let containers = ["": ["mdia", "tref"], "mdia": ["minf"], "minf": ["stbl"]]

  private mutating func read(_ bytes: Span<UInt8>, in range: Range<Int>, below parent: String) {
    var boxes = BoxSequence(in: range)
    while let box = boxes.next(bytes) {
      if Self.containers[parent]?.contains(box.type) == true {
        read(bytes, in: box.body, below: box.type)
      } else {
        read(box, bytes)
      }
    }
  }

  private mutating func read(_ box: Box, _ bytes: Span<UInt8>) {
    let start = box.content.lowerBound
    let isLong = bytes.byte(at: box.body.lowerBound) ?? 0 > 0
    switch box.type {
    case "tkhd":
      number = bytes.bigEndian32(at: start + (isLong ? 16 : 8)) ?? 0
      length = Self.length(bytes, at: start + (isLong ? 24 : 16), isLong)
      let sides = start + (isLong ? 84 : 72)
      size = PixelSize(
        width: bytes.bigEndian16(at: sides) ?? 0,
        height: bytes.bigEndian16(at: sides + 4) ?? 0
      )
    case "auxl": owner = bytes.bigEndian32(at: box.body.lowerBound)
    case "mdhd": ticksPerSecond = bytes.bigEndian32(at: start + (isLong ? 16 : 8)) ?? 0
    case "stsd": readDescription(box, bytes)
    case "stsz": count = bytes.bigEndian32(at: start + 4) ?? 0
    case "stts": waits = box.content
    default: break
    }
  }

  /// The first description of samples: a box with 78 bytes before its own boxes.
  private mutating func readDescription(_ box: Box, _ bytes: Span<UInt8>) {
    var descriptions = BoxSequence(
      in: min(box.body.lowerBound + 8, box.body.upperBound)..<box.body.upperBound
    )
    guard let first = descriptions.next(bytes), first.body.count >= 78 else { return }
    coding = first.type
    var boxes = BoxSequence(in: first.body.dropFirst(78))
    var list: [Box] = []
    while list.count < 64, let box = boxes.next(bytes) { list.append(box) }
    properties = PictureProperties(list, bytes)
  }

  private mutating func listDurations(_ bytes: Span<UInt8>) {
    guard let waits, ticksPerSecond > 0 else { return }
    var offset = waits.lowerBound + 4
    let wanted = min(count, Self.mostDurations)
    while durations.count < wanted, offset + 8 <= waits.upperBound,
      let number = bytes.bigEndian32(at: offset), let ticks = bytes.bigEndian32(at: offset + 4)
    {
      let milliseconds = (Double(ticks) * 1000 / Double(ticksPerSecond)).rounded()
      let repeated = min(number, wanted - durations.count)
      durations += [Int](repeating: Int(milliseconds), count: repeated)
      offset += 8
    }
  }

  /// An edit list that is repeated until the track ends (ISO/IEC 23000-22, section 7.2.2).
  private mutating func readEdits(_ bytes: Span<UInt8>, in range: Range<Int>) {
    guard let edits = BoxSequence.first("edts", bytes, in: range),
      let list = BoxSequence.first("elst", bytes, in: edits.body)
    else { return }
    let isRepeated = (bytes.byte(at: list.body.lowerBound + 3) ?? 0) & 1 != 0
    guard isRepeated else {
      plays = 1
      return
    }
    let isLong = bytes.byte(at: list.body.lowerBound) ?? 0 > 0
    let part = Self.length(bytes, at: list.content.lowerBound + 4, isLong)
    guard part > 0, length < .max, length > 0 else { return }
    plays = max(1, (length - 1) / part + 1)
  }

  private static func length(_ bytes: Span<UInt8>, at offset: Int, _ isLong: Bool) -> Int {
    if isLong { return bytes.bigEndian64(at: offset) ?? 0 }
    let ticks = bytes.bigEndian32(at: offset) ?? 0
    return ticks == 0xFFFF_FFFF ? .max : ticks
  }
}
#endif
