import CTurboJPEG
import Glibc

/// A JPEG file of four inks that libjpeg writes with Adobe's marker, in which 0 stands for full ink.
struct InkJPEG {
  var width: Int
  var height: Int
  /// Whether inks are stored as luma and chroma.
  var isYCCK = false
  var isProgressive = false

  /// Inks that change slowly from pixel to pixel, 255 for full ink.
  private func inks(_ x: Int, _ y: Int) -> [UInt8] {
    [
      UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x + y) * 255 / (width + height)),
      UInt8((width - x) * (height - y) * 160 / (width * height)),
    ]
  }

  /// The file.
  func bytes() -> [UInt8] {
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
    if isYCCK { jpeg_set_colorspace(&encoder, JCS_YCCK) }
    jpeg_set_quality(&encoder, 95, 1)
    if isProgressive { jpeg_simple_progression(&encoder) }
    jpeg_start_compress(&encoder, 1)
    for y in 0..<height {
      var row = (0..<width).flatMap { inks($0, y) }.map { ~$0 }
      row.withUnsafeMutableBufferPointer { row in
        var start = row.baseAddress
        jpeg_write_scanlines(&encoder, &start, 1)
      }
    }
    jpeg_finish_compress(&encoder)
    defer { free(memory) }
    return Array(UnsafeBufferPointer(start: memory, count: Int(count)))
  }

  /// The inks of a file as libjpeg reads them, 255 for full ink.
  static func inks(of file: [UInt8]) -> [UInt8] {
    var decoder = jpeg_decompress_struct()
    var errors = jpeg_error_mgr()
    decoder.err = jpeg_std_error(&errors)
    jpeg_CreateDecompress(&decoder, JPEG_LIB_VERSION, MemoryLayout<jpeg_decompress_struct>.size)
    defer { jpeg_destroy_decompress(&decoder) }
    var inks: [UInt8] = []
    file.withUnsafeBufferPointer { file in
      jpeg_mem_src(&decoder, file.baseAddress, UInt(file.count))
      jpeg_read_header(&decoder, 1)
      decoder.out_color_space = JCS_CMYK
      jpeg_start_decompress(&decoder)
      var row = [UInt8](repeating: 0, count: Int(decoder.output_width) * 4)
      while decoder.output_scanline < decoder.output_height {
        row.withUnsafeMutableBufferPointer { row in
          var start = row.baseAddress
          jpeg_read_scanlines(&decoder, &start, 1)
        }
        inks += row.map { ~$0 }
      }
      jpeg_finish_decompress(&decoder)
    }
    return inks
  }
}
