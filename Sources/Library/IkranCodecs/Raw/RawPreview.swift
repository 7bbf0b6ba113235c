import IkranPixels

/// The largest JPEG picture in a camera's raw file.
struct RawPreview: Sendable {
  private enum Tag {
    static let compression = 0x0103
    static let photometry = 0x0106
    static let stripOffsets = 0x0111
    static let orientation = 0x0112
    static let stripByteCounts = 0x0117
    static let subdirectories = 0x014A
    static let jpegOffset = 0x0201
    static let jpegByteCount = 0x0202
  }
  private enum Fujifilm {
    static let offset = 84
    static let byteCount = 88
  }
  /// The most directories that are read.
  private static let maximumDirectories = 64

  /// Where it is in the file.
  let range: Range<Int>
  /// How the raw file says that it must be turned; nil where only the picture itself does.
  let orientation: Orientation?

  /// Finds it.
  ///
  /// Cost: reads the directories, and the headers of all JPEG pictures.
  ///
  /// - Throws: ``DecodeError/truncated(_:offset:)`` when the bytes end before what may be the
  ///   largest; ``DecodeError/unsupported(_:feature:)`` when there is none.
  init(_ bytes: Span<UInt8>, _ format: ImageFormat) throws(DecodeError) {
    var places: [Range<Int>] = []
    if format == .raf {
      guard let start = bytes.bigEndian32(at: Fujifilm.offset),
        let count = bytes.bigEndian32(at: Fujifilm.byteCount)
      else { throw .truncated(format, offset: bytes.count) }
      places = [start..<start + count]
      orientation = nil
    } else {
      guard let tiff = TIFFReader(bytes), tiff.firstDirectory < bytes.count else {
        throw .truncated(format, offset: bytes.count)
      }
      let first = ExifDirectory(tiff, bytes, at: tiff.firstDirectory)
      orientation = first.integer(Tag.orientation, bytes)
        .flatMap(UInt8.init(exactly:)).flatMap(Orientation.init(rawValue:))
      guard let found = Self.places(tiff, bytes) else {
        throw .truncated(format, offset: bytes.count)
      }
      places = found
    }
    guard let best = try Self.largest(of: places, in: bytes, format) else {
      throw .unsupported(format, feature: "the sensor's pixels alone, without a JPEG preview")
    }
    range = best
  }

  /// Where the directories say that JPEG pictures are; nil when the bytes end before a directory
  /// does.
  ///
  /// Of those that only follow another one, some writers give no true place.
  private static func places(_ tiff: TIFFReader, _ bytes: Span<UInt8>) -> [Range<Int>]? {
    var (places, offsets, next): ([Range<Int>], [Int], Int) = ([], [tiff.firstDirectory], 0)
    while next < min(offsets.count, maximumDirectories) {
      guard isWhole(offsets[next], tiff, in: bytes) else { return nil }
      let directory = ExifDirectory(tiff, bytes, at: offsets[next])
      next += 1
      places += [place(directory, bytes), strip(directory, bytes)].compactMap(\.self)
      let follows = directory.next > 0 && isWhole(directory.next, tiff, in: bytes)
      var found = follows ? [directory.next] : []
      for entry in directory.entries where entry.tag == Tag.subdirectories {
        found += (0..<min(entry.count, maximumDirectories))
          .compactMap { tiff.integer(entry, of: bytes, index: $0) }
      }
      for offset in found where !offsets.contains(offset) { offsets.append(offset) }
    }
    return places
  }

  /// Whether a directory is wholly there.
  private static func isWhole(
    _ offset: Int,
    _ tiff: TIFFReader,
    in bytes: Span<UInt8>
  ) -> Bool {
    guard let count = tiff.word(bytes, at: offset) else { return false }
    return offset + 2 + count * 12 <= bytes.count
  }

  /// A picture with tags of its own.
  private static func place(_ directory: ExifDirectory, _ bytes: Span<UInt8>) -> Range<Int>? {
    guard let start = directory.integer(Tag.jpegOffset, bytes),
      let count = directory.integer(Tag.jpegByteCount, bytes), start > 0, count > 0
    else { return nil }
    return start..<start + count
  }

  /// A picture in one strip, which is no picture of the sensor.
  private static func strip(_ directory: ExifDirectory, _ bytes: Span<UInt8>) -> Range<Int>? {
    let offsets = directory.entries.first { $0.tag == Tag.stripOffsets }
    guard let compression = directory.integer(Tag.compression, bytes),
      [6, 7].contains(compression),
      // Colour filters, and their samples made linear.
      ![32_803, 34_892].contains(directory.integer(Tag.photometry, bytes)), offsets?.count == 1,
      let start = directory.integer(Tag.stripOffsets, bytes),
      let count = directory.integer(Tag.stripByteCounts, bytes), start > 0, count > 0
    else { return nil }
    return start..<start + count
  }

  /// The one of the most pixels that is decoded; nil when none is.
  private static func largest(
    of places: [Range<Int>],
    in bytes: Span<UInt8>,
    _ format: ImageFormat
  ) throws(DecodeError) -> Range<Int>? {
    var best: (place: Range<Int>, pixels: Int)?
    var missing = 0
    // Pictures lie side by side; more places than that would have the same bytes searched again.
    var searchable = 2 * bytes.count
    var known: Set<Range<Int>> = []
    for place in places where known.insert(place).inserted {
      guard place.lowerBound < bytes.count else {
        missing = max(missing, place.count)
        continue
      }
      let picture = bytes.extracting(place.clamped(to: 0..<bytes.count))
      guard JPEGDecoder().recognizes(picture), searchable >= picture.count else { continue }
      searchable -= picture.count
      do throws(DecodeError) {
        let header = try JPEGHeader(picture)
        let pixels = header.info.size.pixelCount ?? 0
        // The sensor's pixels may be a JPEG without loss.
        guard JPEGDecoder().decodes(header), pixels > best?.pixels ?? 0 else { continue }
        best = (place, pixels)
      } catch {
        // What is damaged is no picture; what is not there may be one.
        if case .truncated = error { missing = max(missing, place.count) }
      }
    }
    guard missing <= best?.place.count ?? 0 else {
      throw .truncated(format, offset: bytes.count)
    }
    return best?.place.clamped(to: 0..<bytes.count)
  }
}
