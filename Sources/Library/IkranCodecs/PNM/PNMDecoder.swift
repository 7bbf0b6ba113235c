import IkranPixels

/// Decodes PNM, the formats of Netpbm: PBM, PGM and PPM in text and binary, and PAM.
///
/// Samples have up to 16 bits and any largest value, and become bytes by rounding. Of a file with
/// several pictures the first is decoded. A PAM file says what its tuples are by their type:
/// `BLACKANDWHITE`, `GRAYSCALE` and `RGB`, each also with `_ALPHA`, and `CMYK`; with another type
/// their number of samples does.
package struct PNMDecoder: RowCodec {
  /// Creates the decoder.
  package init() {}

  /// PNM.
  package var format: ImageFormat { .pnm }

  /// Whether `prefix` starts with `P1` to `P6`, white space and a number, or as PAM does.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.pnm, prefix) }

  func reader(of bytes: Span<UInt8>) throws(DecodeError) -> PNMReader { try PNMReader(bytes) }
}
