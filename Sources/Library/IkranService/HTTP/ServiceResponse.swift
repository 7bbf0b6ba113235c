import IkranHTTP

/// What a client gets.
struct ServiceResponse: Sendable {
  let status: Int
  var fields: [Field]
  /// Shared with the cache that has it: it is sent from there.
  let body: BodyBytes
  /// Why there is no picture; nil where there is one.
  var error: ServiceError?
  /// What was asked for; nil where that could not be read.
  var wanted: ServiceRequest?

  init(status: Int, fields: [Field] = [], body: BodyBytes) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// This response, with what was asked for.
  func naming(_ wanted: ServiceRequest) -> ServiceResponse {
    var named = self
    named.wanted = wanted
    return named
  }
}
