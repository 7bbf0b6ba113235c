import IkranStores

/// Names bytes by their content: 128 bits over a body.
///
/// An image carries the id of the bytes that it was made from: in memory, as its version in a
/// table, in the mark of a styled file on the disk. It may be shown as current exactly if its
/// source's ``SourceRecord`` names the same id.
typealias BodyID = TableID

extension BodyID {
  /// The version in tables of the first frame of an animated file with this id.
  var ofFirstFrame: BodyID { BodyID(high: ~high, low: low) }
}
