#if canImport(Glibc)
import CIkranSandbox
import Glibc
import IkranCodecs
import IkranPixels
import IkranSystem

/// The other side: a process that decodes what it is given, and can do nothing else.
///
/// Its channel is descriptor 3 and its memory descriptor 4. It ends when the channel does.
package struct DecoderWorker {
  /// Pictures of more bytes travel as memory of their own.
  private static let copiedByteCount = 256 << 10
  /// How long one request may use the processor.
  private static let seconds: UInt32 = 60
  /// Address space: more than any picture within the usual limits takes, less than the machine has.
  private static let addressBytes = 4 << 30
  /// The exit code of a process that the kernel does not seal off: it decodes nothing.
  static let notSealed: Int32 = 71
  /// The exit code of a process that does not understand its program.
  static let otherVersion: Int32 = 72

  private let channel = Channel(descriptor: 3)
  private let memory = SharedMemory(4)
  private let codecs = CodecList.standard
  private let workspace = Workspace()
  private var players = OpenPlayers()

  private init() {}

  /// Responds to requests until no program asks any more, and ends the process.
  package static func run() -> Never {
    guard seal() else { _exit(notSealed) }
    var worker = DecoderWorker()
    while let (packet, _) = worker.channel.receive() {
      ikran_sandbox_allow_seconds(seconds)
      guard worker.response(packet) else { break }
    }
    _exit(0)
  }

  /// Seals this process off until it ends; false where the kernel cannot.
  package static func seal() -> Bool {
    let folders = fontFolders()
    var pointers: [UnsafePointer<CChar>] = []
    for folder in folders {
      if let copy = folder.withPath({ strdup($0) }) { pointers.append(UnsafePointer(copy)) }
    }
    // A sanitizer maps terabytes.
    let addressBytes = ikran_has_sanitizer() ? 0 : Self.addressBytes
    // What libraries load later could not be loaded.
    CodecList.loadPlugins()
    return ikran_sandbox_enter(pointers, Int32(pointers.count), addressBytes)
  }

  /// What text in an SVG needs: fonts, and what says which there are; and the list of formats that
  /// pictures in an SVG may have.
  private static func fontFolders() -> [String] {
    var folders = [
      "/etc/fonts", "/usr/share/fonts", "/usr/share/fontconfig", "/usr/local/share/fonts",
      "/var/cache/fontconfig", "/usr/share/mime", "/usr/lib/x86_64-linux-gnu/gdk-pixbuf-2.0",
      "/usr/lib/aarch64-linux-gnu/gdk-pixbuf-2.0", "/usr/lib64/gdk-pixbuf-2.0",
    ]
    if let home = Files.variable("HOME") {
      folders += [".fonts", ".fonts.conf", ".local/share/fonts", ".config/fontconfig"]
        .map { "\(home)/\($0)" }
      folders.append("\(home)/.cache/fontconfig")
    }
    let places = [
      ("FONTCONFIG_FILE", ""), ("FONTCONFIG_PATH", ""), ("XDG_DATA_HOME", "/fonts"),
      ("XDG_CONFIG_HOME", "/fontconfig"), ("XDG_CACHE_HOME", "/fontconfig"),
    ]
    for (name, folder) in places {
      if let place = Files.variable(name) { folders.append(place + folder) }
    }
    return folders
  }

  /// Responds to one request; false when the other end is gone.
  private mutating func response(_ packet: Packet) -> Bool {
    guard memory.map(packet.memoryBytes) else { return false }
    var wire = WireReader(memory.read(0, packet.messageBytes))
    guard let request = try? DecoderRequest(from: &wire) else { _exit(Self.otherVersion) }
    var response = DecoderResponse.none
    var bitmap: Bitmap?
    do throws(DecodeError) {
      (response, bitmap) = try result(of: request, packet)
    } catch {
      response = .failed(error)
    }
    return send(response, bitmap)
  }

  private mutating func result(
    of request: DecoderRequest,
    _ packet: Packet
  ) throws(DecodeError) -> (DecoderResponse, Bitmap?) {
    switch request {
    case .probe(let format):
      let info = try withFile(packet) { (file) throws(DecodeError) in
        try codecs.probe(file, as: format)
      }
      return (.info(info), nil)
    case .decode(let format, let fitting, let rules):
      // libde265 leaves what it cannot decode as it was: other pictures were decoded here.
      let needsClear = format == .heic || format == .heif
      if needsClear { ikran_clear_allocations(true) }
      defer { if needsClear { ikran_clear_allocations(false) } }
      let picture = try withFile(packet) { (file) throws(DecodeError) in
        try codecs.decode(file, as: format, fitting: fitting, rules: rules, workspace: workspace)
      }
      return Self.response(picture)
    case .decodePrefix(let format, let fitting, let rules):
      let picture = try withFile(packet) { (file) throws(DecodeError) in
        try codecs.decodePrefix(
          file,
          as: format,
          fitting: fitting,
          rules: rules,
          workspace: workspace
        )
      }
      return picture.map { Self.response($0) } ?? (.none, nil)
    case .frames(let movie):
      guard let source = try frames(of: movie, packet) else { return (.none, nil) }
      return (.frames(source.info), nil)
    case .compose(let player, let movie, let opens, let frame, let fitting):
      if opens {
        guard let source = try frames(of: movie, packet) else { return (.none, nil) }
        players.open(player, source)
      }
      guard let composer = players.composer(of: player) else { return (.notOpen, nil) }
      let image = try composer.compose(frame, from: nil, fitting: fitting, workspace: workspace)
      return Self.response(DecodedPicture(bitmap: image, notes: composer.notes))
    }
  }

  private func frames(
    of movie: DecoderRequest.Movie,
    _ packet: Packet
  ) throws(DecodeError) -> (any FrameSource)? {
    let bytes = memory.read(packet.payloadOffset, packet.payloadBytes)
    return try codecs.frames(
      of: bytes,
      as: movie.format,
      isPrefix: movie.isPrefix,
      rules: movie.rules
    )
  }

  private static func response(_ picture: DecodedPicture) -> (DecoderResponse, Bitmap?) {
    let bitmap = picture.bitmap
    let header = DecoderResponse.Picture(
      size: bitmap.size,
      format: bitmap.format,
      profile: bitmap.profile?.bytes,
      notes: picture.notes
    )
    return (.picture(header), bitmap)
  }

  /// Lends the file of a request.
  private func withFile<R>(
    _ packet: Packet,
    _ body: (Span<UInt8>) throws(DecodeError) -> R
  ) throws(DecodeError) -> R {
    let result = memory.withSpan(at: packet.payloadOffset, count: packet.payloadBytes) { file in
      Result { () throws(DecodeError) in try body(file) }
    }
    guard let result else { throw .empty }
    return try result.get()
  }

  /// Sends a response with its pixels; the request's file is no longer needed.
  private func send(_ response: DecoderResponse, _ bitmap: Bitmap?) -> Bool {
    var wire = WireWriter()
    response.write(to: &wire)
    let place = (wire.bytes.count + 63) & ~63
    var packet = Packet(
      messageBytes: wire.bytes.count,
      payloadOffset: place,
      memoryBytes: memory.byteCount
    )
    guard let bitmap, case .picture(let picture) = response, let count = picture.byteCount else {
      guard memory.grow(to: place) else { return false }
      memory.write(wire.bytes.span, at: 0)
      packet.memoryBytes = memory.byteCount
      return channel.send(packet)
    }
    packet.payloadBytes = count
    let isCopied = count <= Self.copiedByteCount
    guard memory.grow(to: place + (isCopied ? count : 0)) else { return sendFailure(count) }
    memory.write(wire.bytes.span, at: 0)
    packet.memoryBytes = memory.byteCount
    if isCopied {
      bitmap.write(to: memory, at: place)
      return channel.send(packet)
    }
    guard let pixels = bitmap.sharedCopy(count) else { return sendFailure(count) }
    return channel.send(packet, passing: pixels.descriptor)
  }

  /// Says that there is no memory for pixels.
  private func sendFailure(_ byteCount: Int) -> Bool {
    send(.failed(.bitmap(.outOfMemory(bytes: byteCount))), nil)
  }
}

/// The animations that were lately played here.
private struct OpenPlayers {
  private static let limit = 4
  private var players: [(number: Int, composer: any FrameComposer)] = []

  /// Opens one in place of the one that was unused for longest.
  mutating func open(_ number: Int, _ frames: any FrameSource) {
    players.removeAll { $0.number == number }
    if players.count >= Self.limit { players.removeFirst() }
    players.append((number, frames.makeComposer()))
  }

  /// The composer of one that is open, which is the latest now.
  mutating func composer(of number: Int) -> (any FrameComposer)? {
    guard let index = players.firstIndex(where: { $0.number == number }) else { return nil }
    let player = players.remove(at: index)
    players.append(player)
    return player.composer
  }
}

extension Bitmap {
  /// Memory with a copy of the pixels as in a canvas, of so many bytes; nil when there is none.
  fileprivate func sharedCopy(_ byteCount: Int) -> SharedMemory? {
    let memory = SharedMemory(ikran_memory_create(byteCount))
    guard memory.descriptor >= 0 else { return nil }
    if bytesPerRow == format.bytesPerRow(width: width) {
      let isWritten = withUnsafeBytes { pixels in
        pixels.baseAddress.map { ikran_memory_write(memory.descriptor, $0, pixels.count) } ?? false
      }
      return isWritten ? memory : nil
    }
    guard memory.map(byteCount) else { return nil }
    write(to: memory, at: 0)
    // Mapped memory cannot be sealed.
    memory.unmap()
    return memory
  }

  /// Writes the pixels row after row, as in a canvas.
  fileprivate func write(to memory: SharedMemory, at place: Int) {
    guard let stride = format.bytesPerRow(width: width) else { return }
    for y in 0..<height {
      withRow(y) { memory.write($0, at: place + y * stride) }
    }
  }
}
#endif
