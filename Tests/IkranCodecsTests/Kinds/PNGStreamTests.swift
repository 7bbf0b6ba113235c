import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// PNG data whose zlib stream is right but for its header or its checksum.
@Suite(.timeLimit(.minutes(10))) struct PNGStreamTests {
  /// A picture of noise that repeats after so many bytes.
  private struct Sample: CustomStringConvertible {
    var size: PixelSize
    /// Bits of a channel: 8 or 16 of gray, or 24 for colours of 8 bits.
    var bits: Int
    var period: Int
    var description: String { "\(size), \(bits) bits, again after \(period) rows" }

    var rows: [UInt8] {
      var random = SeededGenerator(seed: UInt64(size.width))
      let once = (0..<period).map { _ in
        [0] + (0..<size.width * bits / 8).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      return Array((0..<size.height).map { once[$0 % period] }.joined())
    }

    func file(_ stream: [UInt8]) -> [UInt8] {
      let kind: [UInt8] = bits == 24 ? [8, 2, 0, 0, 0] : [UInt8(bits), 0, 0, 0, 0]
      let header = PNGSample.word(size.width) + PNGSample.word(size.height) + kind
      let parts = stride(from: 0, to: stream.count, by: 900)
        .map { Array(stream[$0..<min($0 + 900, stream.count)]) }
      return PNGSample.signature + PNGSample.chunk("IHDR", header)
        + parts.flatMap { PNGSample.chunk("IDAT", $0) } + PNGSample.chunk("IEND", [])
    }
  }

  private static let samples = [
    Sample(size: PixelSize(width: 100, height: 100), bits: 24, period: 40),
    Sample(size: PixelSize(width: 61, height: 90), bits: 8, period: 7),
    Sample(size: PixelSize(width: 100, height: 90), bits: 16, period: 15),
  ]

  /// The stream whose header says that its window has 2 to the power of `bits` bytes.
  private static func declaring(_ bits: Int, _ stream: [UInt8]) -> [UInt8] {
    let method = (bits - 8) << 4 | 8
    return [UInt8(method), UInt8(31 - method * 256 % 31)] + stream.dropFirst(2)
  }

  private func expectSame(_ bytes: [UInt8], as whole: [UInt8], _ comment: Comment) throws {
    let expected = try outcome(of: whole).get()
    #expect(try outcome(of: bytes).get().distance(to: expected) == 0, comment)
    let (info, workspace) = (try probe(bytes).get(), Workspace())
    let plan = try info.plan(.original)
    let libpngs = try PNGHandle.render(bytes.span, plan, of: info, workspace: workspace)
    #expect(libpngs.distance(to: expected) == 0, comment)
    let small = Fitting.inside(PixelSize(width: 9, height: 9))
    let reduced = try outcome(of: whole, small).get()
    #expect(try outcome(of: bytes, small).get().distance(to: reduced) == 0, comment)
  }

  @Test(arguments: samples.indices, 8...14)
  func aWindowThatIsDeclaredTooSmallIsNoError(_ index: Int, _ bits: Int) throws {
    let sample = Self.samples[index]
    let stream = try #require(PNGDeflation.compressed(sample.rows))
    // Else it has no distances that matter.
    try #require(stream.count < sample.rows.count / 2)
    let bytes = sample.file(Self.declaring(bits, stream))
    try expectSame(bytes, as: sample.file(stream), "\(sample)")
    let (info, workspace) = (try probe(bytes).get(), Workspace())
    let plan = try info.plan(.original)
    for usesISAL in [false, PNGDataHandle.hasISAL] {
      let ours = PNGRowDecoder.render(
        bytes.span,
        plan,
        info,
        workspace: workspace,
        usesISAL: usesISAL
      )
      #expect(ours != nil, "\(sample)")
    }
  }

  @Test(arguments: samples.indices, 1...4)
  func aWrongChecksumOfTheDataIsNoError(_ index: Int, _ place: Int) throws {
    let sample = Self.samples[index]
    let packed = try #require(PNGDeflation.compressed(sample.rows))
    for stream in [PNGSample.stored(sample.rows), packed] {
      var wrong = stream
      wrong[wrong.count - place] ^= 0x40
      try expectSame(sample.file(wrong), as: sample.file(stream), "\(sample)")
      #expect(try notes(on: sample.file(wrong)) == [.checksumWrong])
      #expect(try notes(on: sample.file(stream)) == [])
    }
  }

  @Test(arguments: samples.indices, [1, 4, 10, 2000])
  func norIsOneWithOtherBytesBehindIt(_ index: Int, _ count: Int) throws {
    let sample = Self.samples[index]
    let stream = try #require(PNGDeflation.compressed(sample.rows))
    var wrong = stream
    wrong[wrong.count - 2] ^= 0x40
    wrong += [UInt8](repeating: 0x78, count: count)
    try expectSame(sample.file(wrong), as: sample.file(stream), "\(sample)")
  }

  @Test(arguments: samples.indices, 1...6)
  func norIsOneThatSeveralChunksHavePartsOf(_ index: Int, _ last: Int) throws {
    let sample = Self.samples[index]
    let stream = try #require(PNGDeflation.compressed(sample.rows))
    var wrong = stream
    wrong[wrong.count - 3] ^= 0x40
    let bytes = divided(sample.file(wrong), last)
    try expectSame(bytes, as: divided(sample.file(stream), last), "\(sample)")
    // libpng looks at the first part of the checksum alone.
    #expect(try notes(on: bytes) == (last == 1 ? [.checksumWrong] : []))
  }

  /// Where the name of the last chunk with data begins.
  private func lastChunk(of bytes: [UInt8]) -> Int {
    let name = Array("IDAT".utf8)
    return bytes.indices.last { Array(bytes[$0...].prefix(4)) == name } ?? 0
  }

  /// The file with the last bytes of its data in chunks of their own, one each, between empty ones.
  private func divided(_ bytes: [UInt8], _ last: Int) -> [UInt8] {
    let empty = PNGSample.chunk("IDAT", [])
    // The end's chunk has 12 bytes, and the data's last chunk a head of eight and a checksum of four.
    let (end, head) = (bytes.count - 12, lastChunk(of: bytes))
    let data = bytes[(head + 4)..<(end - 4)]
    var file = Array(bytes[..<(head - 4)])
    file += PNGSample.chunk("IDAT", Array(data.dropLast(last))) + empty
    for byte in data.suffix(last) { file += PNGSample.chunk("IDAT", [byte]) + empty }
    return file + bytes[end...]
  }

  private func notes(on bytes: [UInt8]) throws -> [DecodeNote] {
    try CodecList.standard.decode(bytes.span).notes
  }

  @Test func aWrongChecksumOfInterlacedDataIsNoError() throws {
    for side in [1, 5, 40] {
      let size = PixelSize(width: side, height: side + 2)
      let sample = PNGSample(size: size, isInterlaced: true) { x, y in
        [UInt16(x * 1_000), UInt16(y * 1_000), 7]
      }
      let bytes = sample.bytes
      try expectSame(withWrongChecksums(bytes), as: bytes, "\(side)")
      #expect(try notes(on: withWrongChecksums(bytes)) == [.checksumWrong])
    }
  }

  @Test func framesHaveThePixelsOfTheirDataWhateverItsHeaderSays() throws {
    var random = SeededGenerator(seed: 5)
    let row = (0..<3_000).map { _ in Pixel(UInt8.random(in: 0...255, using: &random), 9, 7) }
    var frame = PlacedFrame(0, 0, 100, 110, Pixel(0, 0, 0))
    frame.pixels = frame.pixels.indices.map { row[$0 % row.count] }
    var file = AnimatedPNG(size: PixelSize(width: 100, height: 110), frames: [frame, frame])
    file.chunkLength = .max / 2
    let expected = try animation(file.bytes).composed()
    let small = changingStreams(of: file.bytes) { stream in
      var rows: [UInt8] = []
      _ = InflateHandle().inflate(stream, into: &rows, count: 401 * 110)
      return Self.declaring(8, PNGDeflation.compressed(rows) ?? [])
    }
    #expect(small.count < file.bytes.count / 2)
    for bytes in [small, withWrongChecksums(file.bytes), withWrongChecksums(small)] {
      let frames = try animation(bytes).composed()
      #expect(zip(frames, expected).allSatisfy { $0.distance(to: $1) == 0 })
    }
    let composer = try animation(withWrongChecksums(small)).makeComposer()
    _ = try composer.compose(1)
    #expect(composer.notes == [.checksumWrong])
    let other = try animation(small).makeComposer()
    _ = try other.compose(1)
    #expect(other.notes == [])
  }

  @Test func missingRowsAreAnErrorWhateverTheChecksum() throws {
    let sample = Self.samples[1]
    var stream = PNGSample.stored(Array(sample.rows.dropLast(3)))
    #expect(failure(of: sample.file(stream)) != nil)
    stream[stream.count - 1] ^= 1
    #expect(failure(of: sample.file(stream)) != nil)
  }

  @Test func aChunksWrongChecksumStaysAnError() throws {
    let sample = Self.samples[1]
    var bytes = sample.file(PNGSample.stored(sample.rows))
    bytes[bytes.count - 14] ^= 1
    guard case .malformed(.png, _, _) = failure(of: bytes) else {
      Issue.record("\(String(describing: failure(of: bytes)))")
      return
    }
  }

  private func withWrongChecksums(_ bytes: [UInt8]) -> [UInt8] {
    changingStreams(of: bytes) { $0.dropLast() + [($0.last ?? 0) ^ 1] }
  }

  /// The file with other data in its chunks, each of which has a whole stream.
  private func changingStreams(
    of bytes: [UInt8],
    _ change: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    var (file, offset) = (Array(bytes[..<8]), 8)
    while offset < bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let kind = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
      let body = Array(bytes[offset + 8..<offset + 8 + length])
      let number = kind == "fdAT" ? 4 : 0
      let isData = kind == "IDAT" || kind == "fdAT"
      let data = isData ? body[..<number] + change(Array(body[number...])) : body[...]
      file += PNGSample.chunk(kind, Array(data))
      offset += length + 12
    }
    return file
  }
}
