import IkranPixels

/// Decodes BMP: every header of Windows and OS/2; 1 to 8 bits with a palette, 16, 24 and 32 bits,
/// masks, and run lengths of 4 and 8 bits.
///
/// Pixels have alpha where a mask says so, unless that of all of them is zero: 32 bits of a short
/// header are opaque. Pixels that run lengths leave out are clear, as in browsers. Headers of
/// versions 4 and 5 say what colours are, by a profile or by the lights.
package struct BMPDecoder: RowCodec {
  /// Creates the decoder.
  package init() {}

  /// BMP.
  package var format: ImageFormat { .bmp }

  /// Whether `prefix` starts with `BM` and has the length of a known header.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.bmp, prefix) }

  func reader(of bytes: Span<UInt8>) throws(DecodeError) -> BMPReader { try BMPReader(bytes) }
}
