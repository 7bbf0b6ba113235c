import CTurboJPEG
import Glibc

/// A JPEG file of four inks, written by libjpeg.
package struct CMYKSample: Sendable, CustomStringConvertible {
  /// Its size in pixels.
  package var width: Int
  package var height: Int
  /// What is stored for a pixel: cyan, magenta, yellow, black.
  package var inks: [UInt8]
  /// Whether the first three are stored as luma and chroma.
  package var isYCCK = false
  /// Whether Adobe's marker is there; without it files are taken for CMYK.
  package var hasMarker = true
  package var isProgressive = false

  package var description: String {
    "\(width)×\(height) \(inks)" + (isYCCK ? " YCCK" : "") + (hasMarker ? "" : " no marker")
      + (isProgressive ? " progressive" : "")
  }

  /// Describes a file of one colour.
  package init(width: Int, height: Int, inks: [UInt8]) {
    (self.width, self.height, self.inks) = (width, height, inks)
  }

  /// The file.
  package func bytes() -> [UInt8] {
    var encoder = jpeg_compress_struct()
    var errors = jpeg_error_mgr()
    encoder.err = jpeg_std_error(&errors)
    jpeg_CreateCompress(&encoder, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
    defer { jpeg_destroy_compress(&encoder) }
    var memory: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    jpeg_mem_dest(&encoder, &memory, &count)
    (encoder.image_width, encoder.image_height) = (UInt32(width), UInt32(height))
    (encoder.input_components, encoder.in_color_space) = (4, JCS_CMYK)
    jpeg_set_defaults(&encoder)
    jpeg_set_colorspace(&encoder, isYCCK ? JCS_YCCK : JCS_CMYK)
    jpeg_set_quality(&encoder, 100, 1)
    if isProgressive { jpeg_simple_progression(&encoder) }
    encoder.write_Adobe_marker = hasMarker ? 1 : 0
    jpeg_start_compress(&encoder, 1)
    var pixels = (0..<width).flatMap { _ in inks }
    pixels.withUnsafeMutableBufferPointer { pixels in
      var row = pixels.baseAddress
      for _ in 0..<height { jpeg_write_scanlines(&encoder, &row, 1) }
    }
    jpeg_finish_compress(&encoder)
    defer { free(memory) }
    return Array(UnsafeBufferPointer(start: memory, count: Int(count)))
  }
}
