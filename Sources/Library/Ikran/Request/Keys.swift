import IkranCodecs
import IkranPixels
public import IkranStores

/// Names a source: 128 bits over everything that decides which bytes arrive.
///
/// Equal across runs and machines. It tells nothing of the URL or the header fields that it was
/// made from, so it may stand in file names, indexes and logs. A pipeline names a source whose URL
/// or fields have a secret by a digest with its cache folder's own key instead, as a password could
/// be guessed (decision 60).
public struct SourceKey: Hashable, Sendable, CustomStringConvertible {
  /// The digest.
  public let id: TableID

  /// The key of canonical text.
  init(_ canonical: String) { id = TableID(canonical) }

  /// The key of canonical text that has a secret.
  init(_ canonical: String, secret: FolderSecret) {
    id = secret.digest(of: "source\u{0}" + canonical)
  }

  /// 32 hexadecimal digits.
  public var description: String { id.description }

  /// Hashes the low half: it is a digest already.
  public func hash(into hasher: inout Hasher) { hasher.combine(id.low) }
}

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

/// Names one styled image: its source and all that changes its pixels.
public struct StyledKey: Hashable, Sendable {
  var source: SourceKey
  let style: Style
  let scale: Double
  /// How the file's colours are handled.
  var colors = ColorHandling.sRGB

  // Decision 66: pixels that an older version made are not shown.
  /// Counts the versions in which one file, style and scale began to make other pixels.
  private static let pixelVersion = 2

  /// Stands for the source, the style, the scale and what becomes of colours: equal across runs and
  /// machines.
  ///
  /// It changes when a version of the library makes other pixels of them.
  public var id: TableID {
    TableID(
      "\(source.id)\u{0}\(style.key)\u{0}\(scale)\u{0}\(Self.pixelVersion)\u{0}\(colors.rawValue)"
    )
  }
}

/// Thirty-two hexadecimal digits that stand for `text`: equal across runs and machines.
func digest(of text: String) -> String {
  String(hexadecimal: Checksum.of(text, seed: 0), Checksum.of(text, seed: 1))
}

/// Names one decode: every style of a source that needs the same pixels shares it.
struct DecodeKey: Hashable, Sendable {
  let source: SourceKey
  let body: BodyID
  let fitting: Fitting
}
