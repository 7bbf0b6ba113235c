import FoundationEssentials
import Glibc
import IkranCodecs
import IkranIsolation
import IkranPixels
import IkranSystem
import TestBasics
import Testing

/// Decoders of a test's own.
struct Decoders {
  let pool: DecoderPool
  /// All formats go to them.
  let codecs: CodecList

  /// - Parameters:
  ///   - program: The decoders' program; nil for where it is found.
  ///   - seconds: How long a response may take.
  ///   - idleNanoseconds: How long a decoder waits for work.
  init(program: String? = nil, seconds: Int = 60, idleNanoseconds: Int64 = 30_000_000_000) {
    pool = DecoderPool(path: program, seconds: seconds, idleNanoseconds: idleNanoseconds)
    codecs = CodecList.standard.isolated(.all, in: pool)
  }

  /// The one process that waits for work, once it has been started.
  func process() throws -> pid_t {
    let picture = Self.picture
    if pool.idleCount == 0 { _ = try codecs.decode(picture.span) }
    guard let process = pool.idleProcesses.first else { throw Missing() }
    return process
  }

  struct Missing: Error {}

  /// A picture whose pixels differ.
  static let picture: [UInt8] = Self.png(40, 30)

  static func png(_ width: Int, _ height: Int) -> [UInt8] {
    PNGSample(size: PixelSize(width: width, height: height)) { x, y in
      [UInt16(x * 601 & 0xFFFF), UInt16(y * 907 & 0xFFFF), UInt16((x ^ y) * 257 & 0xFFFF)]
    }.bytes
  }
}

/// Tests that count this process's descriptors, or its decoders, run alone.
@Suite(.serialized) enum OneAfterTheOther {}

/// No caller wants the pixels from then on.
final class Cancellation: DecodeCancellation {
  private let action = Guarded<(@Sendable () -> Void)?>(nil)
  private let wasCancelled = Guarded(false)
  let isWaitedFor = Latch()

  func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool {
    self.action.withLock { $0 = action }
    isWaitedFor.open()
    return true
  }

  func ignore() { action.withLock { $0 = nil } }

  var isCancelled: Bool { wasCancelled.withLock { $0 } }

  func cancel() {
    wasCancelled.withLock { $0 = true }
    action.withLock { $0 }?()
  }
}

/// What a process has of the system.
struct HeldResources: Equatable, CustomStringConvertible {
  let descriptors, mappings, children: Int

  init() throws {
    descriptors = try OwnProcesses.descriptorCount()
    mappings = try OwnProcesses.sharedMappingCount()
    children = try OwnProcesses.children().count
  }

  var description: String {
    "\(descriptors) descriptors, \(mappings) shared mappings, \(children) children"
  }
}
