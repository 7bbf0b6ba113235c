/// What a request says.
public struct RequestHead: Sendable {
  /// The method, as the client sent it.
  public internal(set) var method = "GET"
  /// The percent-decoded path without the query.
  public internal(set) var path = "/"
  /// The parameters of the query, decoded, in order.
  public internal(set) var parameters: [Field] = []
  /// All header fields, in order, for origins whose answers are the caller's.
  public internal(set) var headers: [Field] = []
  /// The body, at most a megabyte of it, for origins whose answers are the caller's.
  public internal(set) var body: [UInt8] = []
  /// Requests of the same path and parameters that came before this one.
  public internal(set) var earlier = 0
  /// The name the client knows this server by, with the port.
  var host: String?
  var range: String?
  var ifRange: String?
  var ifNoneMatch: String?
  var ifModifiedSince: String?

  /// The value of the first header field called `name`, compared without regard to case, or nil.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
