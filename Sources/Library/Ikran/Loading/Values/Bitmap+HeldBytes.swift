import IkranPixels

extension Bitmap {
  /// The bytes of its pixels and of its profile.
  var heldBytes: Int { byteCount + (profile?.bytes.count ?? 0) }
}
