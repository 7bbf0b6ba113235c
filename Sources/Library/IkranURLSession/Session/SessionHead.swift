import Foundation
import IkranTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The status and the fields of a response, and what they say of its body.
///
/// URLSession has fields in a dictionary: they come in the order of their names, and those of one
/// name are one field, joined by commas.
struct SessionHead: Sendable {
  /// What a status line and the empty line after the fields take.
  private static let frameByteCount = "HTTP/1.1 200 OK\r\n\r\n".utf8.count

  let status: Int
  /// Without those that would describe other bytes than the body's.
  let fields: [HeaderField]
  /// The body's length on the wire, when the sender gave it.
  let length: Int?
  /// What the body is encoded with on the wire; URLSession has removed it.
  let encodings: [String]
  /// Where a redirect leads.
  let location: String?
  /// Bytes of all lines, about as many as were sent.
  let byteCount: Int

  /// Reads what URLSession has received.
  ///
  /// - Parameters:
  ///   - response: What it has received.
  ///   - method: The request's, as a HEAD has no body.
  /// - Throws: ``TransportError/invalidResponse(_:)``, and ``TransportError/contentEncoding(_:)``
  ///   for a part of an encoded body.
  init(_ response: HTTPURLResponse, to method: String) throws(TransportError) {
    let received = response.allHeaderFields
      .compactMap { name, value -> HeaderField? in
        guard let name = name as? String, let value = value as? String else { return nil }
        return HeaderField(name, FieldText.text(of: Array(trimmed(value[...]).utf8)[...]))
      }
      .sorted { $0.name < $1.name }
    status = response.statusCode
    byteCount = received.reduce(Self.frameByteCount) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + ": \r\n".utf8.count
    }
    let target = received.first { $0.isNamed("location") }?.value ?? ""
    location = HTTPHop.isRedirect(status) && !target.isEmpty ? target : nil
    guard method != "HEAD", status != 204, status != 304 else {
      (fields, length, encodings) = (received, nil, [])
      return
    }
    let framing = try BodyFraming(received)
    (length, encodings) = (framing.length, framing.encodings)
    fields = received.filter { field in
      !framing.fieldsOfEncodedBody.contains { field.isNamed($0) }
    }
    guard encodings.isEmpty || status != 206 else {
      let reason = "only a part of the body comes"
      throw .contentEncoding(BodyFraming.undecodable(encodings, reason))
    }
  }

  /// The body's length, when the sender gave it and the body is not encoded.
  var expected: Int? { encodings.isEmpty ? length : nil }

  /// Whether it is the head of what the caller requested.
  var isUseful: Bool { (200..<300).contains(status) }
}
