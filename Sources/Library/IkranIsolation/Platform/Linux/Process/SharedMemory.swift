#if canImport(Glibc)
import CIkranSandbox
import Glibc
import IkranPixels

/// Memory that this process and one decoder share: it grows, and never shrinks.
final class SharedMemory: @unchecked Sendable {  // one thread at a time uses it
  /// More is given back to the system after each use.
  static let keptByteCount = 4 << 20

  let descriptor: Int32
  private(set) var byteCount = 0
  private var start: UnsafeMutableRawPointer?

  /// Makes memory of zeros; nil when there is none.
  init?(byteCount: Int) {
    descriptor = ikran_memory_create(byteCount)
    guard descriptor >= 0, map(byteCount) else { return nil }
  }

  /// Takes memory that another process made.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Ends this process's own view of it.
  func unmap() {
    if let start { munmap(start, byteCount) }
    (start, byteCount) = (nil, 0)
  }

  deinit {
    unmap()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Makes room for so many bytes; false when there is none.
  func grow(to bytes: Int) -> Bool {
    if bytes <= byteCount { return true }
    let rounded = (bytes + 0xF_FFFF) & ~0xF_FFFF
    // The other process may have made it larger: it never shrinks.
    return map(rounded) || ikran_memory_grow(descriptor, rounded) && map(rounded)
  }

  /// Maps what the other process has made of it by now.
  func map(_ bytes: Int) -> Bool {
    if bytes <= byteCount { return true }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= bytes else { return false }
    let mapped = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let mapped, mapped != MAP_FAILED else { return false }
    unmap()
    (start, byteCount) = (mapped, bytes)
    return true
  }

  /// Whether it has these bytes.
  func has(_ place: Int, _ count: Int) -> Bool {
    place >= 0 && count >= 0 && place <= byteCount && count <= byteCount - place
  }

  /// Copies bytes into it, which it has.
  func write(_ bytes: Span<UInt8>, at place: Int) {
    guard let start, has(place, bytes.count) else { return }
    bytes.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { memcpy(start + place, base, bytes.count) }
    }
  }

  /// A copy of bytes, which it has.
  func read(_ place: Int, _ count: Int) -> [UInt8] {
    guard let start, has(place, count) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start + place, count: count))
  }

  /// A picture of bytes, which it has; nil without memory for it.
  func picture(_ size: PixelSize, _ format: PixelFormat, at place: Int) -> Bitmap? {
    guard var canvas = try? Canvas(size: size, format: format, zeroed: false) else { return nil }
    let isCopied = canvas.withUnsafeMutableBytes { pixels in
      guard let start, let base = pixels.baseAddress, has(place, pixels.count) else { return false }
      memcpy(base, start + place, pixels.count)
      return true
    }
    return isCopied ? canvas.finish() : nil
  }

  /// Lends bytes, which it has.
  func withSpan<R>(at place: Int, count: Int, _ body: (Span<UInt8>) -> R) -> R? {
    guard let start, has(place, count) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start + place, count: count)
    return body(bytes.bindMemory(to: UInt8.self).span)
  }

  /// Gives the system back most of what a large file took.
  func trim() { ikran_memory_release(descriptor, Self.keptByteCount, byteCount) }
}

/// Pixels in memory that a decoder made; unmapped with the last bitmap.
final class SharedPixels: @unchecked Sendable {  // immutable
  private let start: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Maps memory of at least so many bytes, and closes its descriptor; nil when it is no such
  /// memory.
  init?(taking descriptor: Int32, byteCount: Int) {
    defer { close(descriptor) }
    guard byteCount > 0, ikran_memory_fix(descriptor) == byteCount else { return nil }
    // All at once: a page fault for each would take longer than to copy them.
    let mapped = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0)
    guard let mapped, mapped != MAP_FAILED else { return nil }
    (start, self.byteCount) = (mapped, byteCount)
  }

  deinit { munmap(start, byteCount) }

  /// A bitmap of the pixels, without a copy; nil when they are too few.
  func picture(_ size: PixelSize, _ format: PixelFormat) -> Bitmap? {
    try? Bitmap(
      lending: UnsafeRawBufferPointer(start: start, count: byteCount),
      size: size,
      format: format,
      bytesPerRow: format.bytesPerRow(width: size.width) ?? 0,
      owner: self
    )
  }
}
#endif
