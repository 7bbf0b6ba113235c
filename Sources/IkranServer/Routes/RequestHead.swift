/// What a request says before its body.
struct RequestHead: Sendable {
  var method = "GET"
  /// The percent-decoded path without the query.
  var path = "/"
  /// The name the client knows this server by, with the port.
  var host: String?
  var range: String?
  var ifRange: String?
  var ifNoneMatch: String?
  var ifModifiedSince: String?
}
