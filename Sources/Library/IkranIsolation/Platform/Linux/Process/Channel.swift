#if canImport(Glibc)
import CIkranSandbox
import Glibc

/// One end of a channel between this process and a decoder.
struct Channel: Sendable {
  let descriptor: Int32

  /// Sends where a message lies, with a descriptor if there is one; false when the other end is
  /// gone.
  func send(_ packet: Packet, passing passed: Int32 = -1) -> Bool {
    let words = [
      packet.messageBytes, packet.payloadOffset, packet.payloadBytes, packet.memoryBytes,
    ]
    return words.withUnsafeBytes { bytes in
      bytes.baseAddress.map { ikran_channel_send(descriptor, $0, bytes.count, passed) } ?? false
    }
  }

  /// Waits for a message; nil when the other end is gone.
  func receive() -> (packet: Packet, passed: Int32)? {
    var words = [0, 0, 0, 0]
    var passed: Int32 = -1
    let count = words.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { ikran_channel_receive(descriptor, $0, bytes.count, &passed) } ?? 0
    }
    guard count == Packet.byteCount else {
      if passed >= 0 { close(passed) }
      return nil
    }
    let packet = Packet(
      messageBytes: words[0],
      payloadOffset: words[1],
      payloadBytes: words[2],
      memoryBytes: words[3]
    )
    return (packet, passed)
  }
}
#endif
