import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// A camera's raw file with JPEG pictures.
struct RawSample: Sendable, CustomTestStringConvertible {
  /// One entry of a directory.
  enum Entry: Sendable {
    case short(Int, Int)
    case long(Int, Int)
    /// At most four.
    case bytes(Int, [UInt8])
    case text(Int, String)
  }

  var format: ImageFormat
  /// The first directory, which has the second in a subdirectory, or after it.
  var directories: [[Entry]] = []
  var isChained = false
  /// Pictures by the number of the directory, with tags of their own, and in a strip.
  var pictures: [Int: [UInt8]] = [:]
  var strips: [Int: [UInt8]] = [:]
  /// What follows the last directory.
  var nextDirectory = 0
  /// A file that is no TIFF file.
  var file: [UInt8]?

  var testDescription: String { format.rawValue }

  init(format: ImageFormat) { self.format = format }

  static func all(small: [UInt8], large: [UInt8]) -> [RawSample] {
    [
      nef(small: small, large: large), cr2(small: small, large: large),
      dng(small: small, large: large), arw(small: small, large: large), raf(large),
    ]
  }

  /// A small picture in the first directory, and the large one in a subdirectory.
  static func nef(small: [UInt8], large: [UInt8], orientation: Int = 1) -> RawSample {
    var sample = RawSample(format: .nef)
    sample.directories = [
      [.long(0xFE, 1), .text(0x10F, "NIKON CORPORATION"), .short(0x112, orientation)],
      [.long(0xFE, 1), .short(0x103, 6)],
    ]
    sample.pictures = [0: small, 1: large]
    return sample
  }

  /// The large picture in a strip.
  private static func cr2(small: [UInt8], large: [UInt8]) -> RawSample {
    var sample = RawSample(format: .cr2)
    sample.directories = [[.short(0x103, 6), .text(0x10F, "Canon EOS")], []]
    sample.isChained = true
    (sample.strips, sample.pictures) = ([0: large], [1: small])
    return sample
  }

  /// The sensor's pixels look like a picture.
  private static func dng(small: [UInt8], large: [UInt8]) -> RawSample {
    var sample = RawSample(format: .dng)
    sample.directories = [
      [.long(0xFE, 0), .short(0x103, 7), .short(0x106, 34_892), .bytes(0xC612, [1, 4, 0, 0])],
      [.long(0xFE, 1), .short(0x103, 7), .short(0x106, 6)],
    ]
    sample.strips = [0: JPEGSample(width: 80, height: 80, sampling: .full).bytes(), 1: large]
    return sample
  }

  private static func arw(small: [UInt8], large: [UInt8]) -> RawSample {
    var sample = RawSample(format: .arw)
    sample.directories = [
      [.long(0xFE, 1), .text(0x10F, "SONY ILCE"), .short(0x112, 1)], [.short(0x103, 6)],
    ]
    sample.pictures = [0: small, 1: large]
    return sample
  }

  private static func raf(_ large: [UInt8]) -> RawSample {
    var sample = RawSample(format: .raf)
    var header = Array("FUJIFILMCCD-RAW 0201FF389501".utf8)
    header += [UInt8](repeating: 0, count: 84 - header.count)
    header += SampleFile.bigEndian(120) + SampleFile.bigEndian(UInt32(large.count))
    sample.file = header + [UInt8](repeating: 0, count: 120 - header.count) + large
    return sample
  }

  // MARK: - TIFF

  var bytes: [UInt8] {
    if let file { return file }
    let start = format == .cr2 ? 16 : 8
    var file = Array("II*\0".utf8) + littleEndian4(start)
    if format == .cr2 { file += Array("CR".utf8) + [2, 0, 0, 0, 0, 0] }
    // Lengths of directories do not depend on what they point at.
    let lengths = directories.indices.map {
      directory($0, at: 0, next: 0, child: 0, data: 0).count
    }
    let offsets = lengths.indices.map { start + lengths[..<$0].reduce(0, +) }
    var data = start + lengths.reduce(0, +)
    for index in directories.indices {
      let isLast = index == directories.count - 1
      file += directory(
        index,
        at: offsets[index],
        next: isLast ? nextDirectory : isChained ? offsets[index + 1] : 0,
        child: isLast || isChained ? nil : offsets[index + 1],
        data: data
      )
      data += (strips[index] ?? []).count + (pictures[index] ?? []).count
    }
    return file + directories.indices.flatMap { (strips[$0] ?? []) + (pictures[$0] ?? []) }
  }

  /// A directory and its texts; `data` is where its strip is, and after that its picture.
  private func directory(
    _ index: Int,
    at start: Int,
    next: Int,
    child: Int?,
    data: Int
  ) -> [UInt8] {
    var entries = directories[index]
    if let strip = strips[index] {
      entries += [.long(0x111, data), .long(0x117, strip.count)]
    }
    if let picture = pictures[index] {
      let start = data + (strips[index] ?? []).count
      entries += [.long(0x201, start), .long(0x202, picture.count)]
    }
    if index < directories.count - 1, !isChained { entries.append(.long(0x14A, child ?? 0)) }
    var texts: [UInt8] = []
    let fields = entries.flatMap { entry -> [UInt8] in
      switch entry {
      case .short(let tag, let value):
        return littleEndian2(tag) + littleEndian2(3) + littleEndian4(1) + littleEndian4(value)
      case .long(let tag, let value):
        return littleEndian2(tag) + littleEndian2(4) + littleEndian4(1) + littleEndian4(value)
      case .bytes(let tag, let bytes):
        return littleEndian2(tag) + littleEndian2(1) + littleEndian4(bytes.count) + bytes
      case .text(let tag, let text):
        let place = start + 6 + entries.count * 12 + texts.count
        texts += Array(text.utf8) + [0]
        return littleEndian2(tag) + littleEndian2(2) + littleEndian4(text.utf8.count + 1)
          + littleEndian4(place)
      }
    }
    return littleEndian2(entries.count) + fields + littleEndian4(next) + texts
  }
}
