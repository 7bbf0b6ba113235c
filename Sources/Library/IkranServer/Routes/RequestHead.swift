import IkranHTTP
import IkranTransport

/// The head of a request, and its body where needed.
package struct RequestHead: Sendable {
  /// The method, as the client sent it.
  package internal(set) var method = "GET"
  /// The percent-decoded path without the query.
  package internal(set) var path = "/"
  /// The parameters of the query, decoded, in order.
  package internal(set) var parameters: [Field] = []
  /// All header fields, in order, for origins with a custom handler.
  package internal(set) var headers: [Field] = []
  /// The first megabyte of the body, for origins with a custom handler.
  package internal(set) var body: [UInt8] = []
  /// The number of earlier requests with the same path and parameters.
  package internal(set) var earlier = 0
  /// The server's host and port, as the client sent them.
  var host: String?
  var range: String?
  var ifRange: String?
  var ifNoneMatch: String?
  var ifModifiedSince: String?

  /// The value of the first header field called `name`, compared without regard to case, or nil.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

extension RequestHead {
  /// Reads the fields of the head that the origin uses, or all of them.
  init(_ line: RequestLine, _ connection: ConnectionHandle, withAllFields: Bool) {
    self.init(
      method: line.method,
      path: line.target,
      parameters: connection.parameters,
      headers: withAllFields ? connection.headers : [],
      host: connection.header("Host"),
      range: connection.header("Range"),
      ifRange: connection.header("If-Range"),
      ifNoneMatch: connection.header("If-None-Match"),
      ifModifiedSince: connection.header("If-Modified-Since")
    )
  }
}
