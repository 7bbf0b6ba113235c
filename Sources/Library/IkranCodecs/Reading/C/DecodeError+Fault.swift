#if CLibraries
import CIkranCodecs
import IkranPixels

extension DecodeError {
  /// An error reported by a C library.
  init(_ fault: ikran_fault, _ format: ImageFormat, memoryLimit: Int? = nil) {
    let offset = Int(fault.offset)
    let reason = fault.reason
    self =
      switch fault.kind {
      case IKRAN_FAULT_TRUNCATED: .truncated(format, offset: offset)
      case IKRAN_FAULT_MEMORY:
        memoryLimit.map { .overLimit(.memory, value: .max, limit: $0) }
          ?? .bitmap(.outOfMemory(bytes: 0))
      case IKRAN_FAULT_SCANS: .overLimit(.scans, value: Int(fault.value), limit: Int(fault.limit))
      case IKRAN_FAULT_UNSUPPORTED: .unsupported(format, feature: reason)
      default: .malformed(format, offset: offset, reason: reason)
      }
  }
}

extension ikran_fault {
  /// The library's message; a plain sentence when there is none.
  var reason: String {
    let text = withUnsafeBytes(of: message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return text.isEmpty ? "its data makes no sense" : text
  }
}
#endif
