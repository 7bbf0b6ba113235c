import FoundationEssentials
import IkranGTK
import IkranTesting

/// An avatar without storage.
struct PlainAvatar: Avatar {
  let url: URL?
  let placeholder: Bitmap?
  var style: Style { .small }
  func localStyled() async throws -> Bitmap? { nil }
  func localOriginal() async throws -> Data? { nil }
  func save(original: Data, styled: Bitmap) async throws {}
}
