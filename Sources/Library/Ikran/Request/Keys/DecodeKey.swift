import IkranPixels

/// Names one decode: every style of a source that needs the same pixels shares it.
struct DecodeKey: Hashable, Sendable {
  let source: SourceKey
  let body: BodyID
  let fitting: Fitting
  let decoding: OwnDecoding?
}
