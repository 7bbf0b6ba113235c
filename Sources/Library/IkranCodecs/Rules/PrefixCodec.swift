package import IkranPixels

/// In which order the pixels of a file arrive, if what is there of it can be shown.
package enum PixelOrder: Sendable {
  /// The whole picture, finer with each pass.
  case passes
  /// Row after row, from top to bottom.
  case rows
  /// It is shown in another way, or not before it is whole.
  case unknown
}

/// A codec that shows what is there of a file.
package protocol PrefixCodec: Codec {
  /// In which order the pixels of a file that begins like this arrive; nil while that is not known.
  func order(of prefix: Span<UInt8>) -> PixelOrder?

  /// Decodes what is there of a file, of which more may follow, to the pixels that `fitting`
  /// describes, upright: ``PixelFormat/bgra`` where rows are missing, which are clear.
  ///
  /// Its notes say how many rows are there.
  ///
  /// Cost: a decode of the bytes that are there.
  ///
  /// - Returns: The picture; nil for none of the pixels that are wanted, and for animations whose
  ///   frames are better.
  /// - Throws: ``DecodeError``.
  func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture?
}

extension Codec {
  /// Decodes a file; of one that is found to be cut off, what is there of it, if the rules allow
  /// that and there are some of the pixels that are wanted.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - fitting: What is wanted of its picture.
  ///   - rules: How it is decoded.
  ///   - workspace: Memory to reuse from picture to picture.
  ///   - decode: Decodes the file as if it were whole.
  /// - Returns: The picture; its notes say whether it was cut off.
  /// - Throws: The error of `decode`.
  func decodeAsFarAsItGoes(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace,
    _ decode: (Span<UInt8>) throws(DecodeError) -> DecodedPicture
  ) throws(DecodeError) -> DecodedPicture {
    do throws(DecodeError) { return try decode(bytes) } catch {
      guard case .truncated = error, rules.acceptsCutFiles, let codec = self as? any PrefixCodec,
        let beginning = try? codec.decodePrefix(
          bytes,
          fitting: fitting,
          rules: rules,
          workspace: workspace
        )
      else { throw error }
      return beginning
    }
  }
}

// Decision 71: pixels that take memory, and files that are cut off.
extension CodecList {
  /// Decodes with a codec; where that fails, shows less if the rules allow it.
  func decode(
    _ bytes: Span<UInt8>,
    with codec: any Codec,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    guard rules.page == 0 || codec is any PagedCodec else {
      throw .noPage(codec.format, rules.page, count: 1)
    }
    do throws(DecodeError) {
      return try decodeAsFarAsItGoes(
        bytes,
        with: codec,
        fitting: fitting,
        rules: rules,
        workspace: workspace
      )
    } catch {
      guard rules.scalesDownOverLimit, error.isOfPixels else { throw error }
      let wanted = try Self.size(codec.info(bytes, page: rules.page), fitting)
      for fitting in Self.smaller(wanted, rules.limits) {
        let picture = try? decodeAsFarAsItGoes(
          bytes,
          with: codec,
          fitting: fitting,
          rules: rules,
          workspace: workspace
        )
        guard let picture, let wanted else { continue }
        let notes = picture.notes + [.scaledDown(from: wanted)]
        return DecodedPicture(bitmap: picture.bitmap, notes: notes)
      }
      throw error
    }
  }

  /// Decodes with a codec, or what is there of a file that is cut off.
  private func decodeAsFarAsItGoes(
    _ bytes: Span<UInt8>,
    with codec: any Codec,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    try codec.decodeAsFarAsItGoes(
      bytes,
      fitting: fitting,
      rules: rules,
      workspace: workspace
    ) { (bytes) throws(DecodeError) in
      try codec.decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
    }
  }

  /// The size of the result that was wanted; nil where it may be no other.
  private static func size(_ info: ImageInfo, _ fitting: Fitting) -> PixelSize? {
    switch fitting {
    case .original: info.uprightSize
    case .inside, .around:
      RenderPlan(stored: info.uprightSize, orientation: .up, fitting: fitting).output
    case .cover, .region: nil
    }
  }

  /// Boxes of its shape, with no more pixels than the limit, then with ever fewer: what a decoder
  /// holds may depend on the size.
  private static func smaller(_ wanted: PixelSize?, _ limits: DecodeLimits) -> [Fitting] {
    guard let wanted, wanted.isPositive, limits.maximumPixels > 0 else { return [] }
    let pixels = Double(wanted.width) * Double(wanted.height)
    let first = min(1, (Double(limits.maximumPixels) / pixels).squareRoot())
    return (0..<7).map { halvings in
      let factor = first / Double(1 << halvings)
      return .inside(
        PixelSize(
          width: max(1, Int(Double(wanted.width) * factor)),
          height: max(1, Int(Double(wanted.height) * factor))
        )
      )
    }
  }
}

extension DecodeError {
  /// Whether a smaller picture may do.
  fileprivate var isOfPixels: Bool {
    switch self {
    case .overLimit(.pixels, _, _), .overLimit(.memory, _, _): true
    default: false
    }
  }
}
