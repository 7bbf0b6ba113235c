/// What an origin serves.
package enum OriginContent: Sendable, Hashable {
  /// This many portraits that the origin draws: `/avatars/0.jpg`, `/avatars/1.png`,
  /// `/avatars/2.webp`, `/avatars/3.jpg` and so on.
  ///
  /// Each number is always the same picture, byte for byte. The paths listed have the extensions
  /// above; a request may use any of the three.
  case portraits(count: Int)
  /// The regular files of a folder and the folders in it; links to the outside are not followed.
  case folder(path: String)
}
