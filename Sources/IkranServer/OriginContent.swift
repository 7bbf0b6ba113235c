/// What an origin serves.
public enum OriginContent: Sendable, Hashable {
  /// So many portraits that the origin draws itself, `/avatars/0.jpg`, `/avatars/1.png`,
  /// `/avatars/2.webp`, `/avatars/3.jpg` and so on.
  ///
  /// Each number is always the same picture, byte for byte. The paths listed have the endings
  /// above; any of the three endings may be asked for.
  case portraits(count: Int)
  /// The regular files of a folder and the folders in it; links that lead out are not followed.
  case folder(path: String)
}
