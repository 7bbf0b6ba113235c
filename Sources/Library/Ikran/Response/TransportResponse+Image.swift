import IkranCodecs
public import IkranPixels
public import IkranTransport

extension TransportResponse {
  /// What a transport of the program's own brings that has a picture and no file: a drawn symbol, a
  /// map, a frame of a camera.
  ///
  /// ```swift
  /// let fields = [HeaderField("Cache-Control", "max-age=3600")]
  /// return try TransportResponse(symbol, for: request, headers: fields)
  /// ```
  /// The pipeline takes it as a downloaded file: it is styled, shared, and kept as its fields say.
  ///
  /// Cost: a copy of the pixels as an uncompressed ``ImageEncoding/bmp``, which the disk keeps
  /// where it keeps files, two more with a profile, and one when it is decoded.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - request: What asked for it.
  ///   - headers: How long it may be kept, and what else a server would say.
  /// - Throws: ``/IkranTransport/TransportError/bodyTooLarge(limit:)`` when it has more than 4 GB.
  public init(
    _ image: Bitmap,
    for request: TransportRequest,
    headers: [HeaderField] = []
  ) throws(TransportError) {
    let file: [UInt8]
    do throws(EncodeError) { file = try image.encoded(as: .bmp) } catch {
      throw .bodyTooLarge(limit: Int(UInt32.max))
    }
    self.init(status: 200, headers: headers, body: file, url: request.url)
  }
}
