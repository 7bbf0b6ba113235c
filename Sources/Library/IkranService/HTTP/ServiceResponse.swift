import IkranHTTP

/// What a client gets.
struct ServiceResponse: Sendable {
  let status: Int
  var fields: [Field]
  /// Shared with the cache that has it: it is sent from there.
  let body: BodyBytes

  init(status: Int, fields: [Field] = [], body: BodyBytes) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A short text, which no cache keeps.
  static func text(_ status: Int, _ text: String, _ fields: [Field] = []) -> ServiceResponse {
    ServiceResponse(
      status: status,
      fields: [Field("Content-Type", "text/plain")] + fields,
      body: BodyBytes(Array(text.utf8))
    )
  }

  /// The same response to a request for its head alone, or for what the client has already.
  var withoutBody: ServiceResponse {
    ServiceResponse(status: status, fields: fields, body: BodyBytes([]))
  }
}
