public import IkranPixels

/// Why bytes could not be decoded.
@nonexhaustive
public enum DecodeError: Error, Sendable, Hashable {
  /// There are no bytes at all.
  case empty
  /// No codec recognizes the first bytes; `hint` names a known format, nil when they match none.
  case unknownFormat(hint: String?)
  /// The file ends too early; `offset` is where more bytes were expected.
  case truncated(ImageFormat, offset: Int)
  /// The file breaks its format's rules at about byte `offset`.
  case malformed(ImageFormat, offset: Int, reason: String)
  /// The file exceeds a limit; `value` is `Int.max` when it does not fit an `Int`.
  case overLimit(DecodeLimit, value: Int, limit: Int)
  /// The file is valid but uses a feature that this decoder does not support.
  case unsupported(ImageFormat, feature: String)
  /// The pixels could not be allocated or converted.
  case bitmap(BitmapError)
  /// The file has fewer pages than ``DecodeRules/page`` asks for, which counts from 0.
  case noPage(ImageFormat, Int, count: Int)
  /// A decoder in another process gave no answer.
  case isolated(ImageFormat, IsolationFailure)
}

extension DecodeError: CustomStringConvertible {
  /// One sentence that says what is wrong and where.
  public var description: String {
    switch self {
    case .empty: "there are no bytes to decode"
    case .unknownFormat(let hint?):
      "this is not an image Ikran can decode: it looks like \(hint)"
    case .unknownFormat(nil):
      "this is not an image Ikran can decode: its first bytes match no known format"
    case .truncated(let format, let offset):
      "the \(format.title) file is cut off: more bytes were expected at byte \(offset)"
    case .malformed(let format, let offset, let reason):
      "the \(format.title) file is damaged near byte \(offset): \(reason)"
    case .overLimit(let kind, let value, let limit): Self.sentence(kind, value, limit)
    case .unsupported(let format, let feature):
      "this \(format.title) file uses \(feature), which Ikran does not support"
    case .bitmap(let error): error.description
    case .noPage(let format, let page, let count):
      "the \(format.title) file has \(count == 1 ? "one page" : "\(count) pages"): "
        + "none has the number \(page), counted from 0"
    case .isolated(let format, let failure):
      "the \(format.title) file cannot be decoded: \(failure)"
    }
  }

  private static func sentence(_ kind: DecodeLimit, _ value: Int, _ limit: Int) -> String {
    let asked = value == .max ? "uncountably many" : String(value)
    return switch kind {
    case .pixels:
      "decoding takes memory for \(asked) pixels, over the limit of \(limit); "
        + "ask for a smaller picture, or raise the limit"
    case .declaredPixels: "the image has \(asked) pixels, over the limit of \(limit)"
    case .dimension: "the image's longer side is \(asked) pixels, over the limit of \(limit)"
    case .frames: "the image has \(asked) frames, over the limit of \(limit)"
    case .animationPixels:
      "playing the animation once composes \(asked) pixels, over the limit of \(limit)"
    case .bytes: "the file has \(asked) bytes, over the limit of \(limit)"
    case .memory: "decoding needs more memory than the limit of \(limit) bytes"
    case .scans: "the image is spread over more scans than the limit of \(limit) for its size"
    }
  }
}
