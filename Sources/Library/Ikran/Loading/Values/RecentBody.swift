/// A file in memory, for the other styles that may want it soon.
struct RecentBody: Sendable {
  let bytes: [UInt8]
  let id: BodyID
  /// As ``Body/prefix``.
  var prefix: BodyPrefix?
}
