/// Files of sources that several processes share.
///
/// No call throws: a store that fails has no files, and keeps none.
package protocol SharedFiles: Sendable {
  /// The file of a URL; nil where there is none, where it is damaged, and where the store fails.
  func file(at url: String) async -> SharedFile?
  /// Keeps the file of a URL, soon, in place of the one that is there.
  func store(_ file: SharedFile, at url: String)
  /// Keeps what is newly known of a file that is there, soon; its bytes are the same.
  func confirm(_ file: SharedFile, at url: String)
  /// Forgets the file of a URL, soon.
  func remove(at url: String)
}

/// A file that processes share.
package struct SharedFile: Sendable {
  /// What HTTP needs to know of it; ``SharingTransport`` alone reads that.
  package let response: [UInt8]
  /// The whole file, without a content encoding.
  package let bytes: [UInt8]

  /// Describes a file.
  package init(response: [UInt8], bytes: [UInt8]) {
    (self.response, self.bytes) = (response, bytes)
  }
}
