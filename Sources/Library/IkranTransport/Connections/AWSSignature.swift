/// How a request is signed with version 4 of Amazon's signatures, by libcurl.
///
/// What is signed: the method, the URL as it is sent, the request's own fields, the date, and what
/// its field `x-amz-content-sha256` says of the body. Another origin that a redirect leads to gets
/// no signature.
package struct AWSSignature: Sendable, Hashable {
  /// The name of the key.
  package var id: String
  /// The key.
  package var secret: String
  /// Where the service is, such as `eu-central-1`.
  package var region: String
  /// The service's short name, such as `s3`.
  package var service: String

  /// Creates a signature's parts; neither region nor service has a colon.
  package init(id: String, secret: String, region: String, service: String = "s3") {
    (self.id, self.secret, self.region, self.service) = (id, secret, region, service)
  }
}
