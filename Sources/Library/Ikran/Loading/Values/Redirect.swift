/// A redirect that an origin responded with.
///
/// It knows no request: each that waited for it applies it to itself.
struct Redirect: Sendable {
  /// The absolute URL that it leads to.
  let location: String
  /// The URL that redirected: a hook may have sent the transfer to another than the request's own.
  let sentURL: String
  /// The place of the transfer that brought it (``SourceRecord/change``): what has changed since
  /// that began is newer.
  let change: ChangeNumber
  let response: StoredResponse
}
