#if canImport(Darwin)
import IkranCodecs
import IkranPixels

/// Refuses the files that other processes would decode: a sandbox of this kind needs Linux.
package final class DecoderPool: Sendable {
  /// The pool of all pipelines.
  package static let shared = DecoderPool()

  /// Does nothing: there is no decoder to start.
  func startAhead() {}

  /// - Throws: ``DecodeError/isolated(_:_:)``.
  func response(
    to request: DecoderRequest,
    _ file: Span<UInt8>,
    blaming blamed: Span<UInt8>,
    _ cancellation: (any DecodeCancellation)?,
    from number: Int? = nil
  ) throws(DecodeError) -> (response: DecoderResponse, bitmap: Bitmap?, number: Int) {
    throw .isolated(
      request.format,
      .notStarted(reason: "decoders in processes of their own need Linux")
    )
  }
}
#endif
