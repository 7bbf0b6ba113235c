import CTurboJPEG
import Glibc

/// A JPEG file written by libjpeg, baseline unless it is progressive.
package struct JPEGSample: Sendable, CustomStringConvertible {
  /// How often luma is sampled for each sample of chroma.
  package enum Sampling: String, Sendable, CaseIterable {
    case gray, full, halfWide, halfTall, quarter

    fileprivate var across: Int32 { self == .halfWide || self == .quarter ? 2 : 1 }
    fileprivate var down: Int32 { self == .halfTall || self == .quarter ? 2 : 1 }
  }

  /// Its size in pixels.
  package var width: Int
  package var height: Int
  package var sampling: Sampling
  package var quality: Int32
  /// In MCUs; 0 for none.
  package var restarts: UInt32
  package var isOptimized: Bool
  package var isProgressive: Bool
  /// The scans when it is progressive.
  package var script = JPEGScript.standard
  /// Arithmetic coding, not Huffman's.
  package var isArithmetic = false
  /// A scan for each component of a file that is not progressive.
  package var hasScans = false
  /// Noise only, which fills blocks to their last coefficient.
  package var isNoise: Bool

  package var description: String {
    "\(width)×\(height) \(sampling) q\(quality) r\(restarts)"
      + (isOptimized ? " optimized" : "") + (isNoise ? " noise" : "")
      + (isProgressive ? " \(script)" : "") + (isArithmetic ? " arithmetic" : "")
      + (hasScans ? " scans" : "")
  }

  /// Describes a file.
  package init(
    width: Int,
    height: Int,
    sampling: Sampling,
    quality: Int32 = 85,
    restarts: UInt32 = 0,
    isOptimized: Bool = false,
    isProgressive: Bool = false,
    isNoise: Bool = false
  ) {
    (self.width, self.height, self.sampling) = (width, height, sampling)
    (self.quality, self.restarts) = (quality, restarts)
    (self.isOptimized, self.isProgressive, self.isNoise) = (isOptimized, isProgressive, isNoise)
  }

  /// Slopes, a wave, hard edges and noise, three bytes per pixel.
  private func pixels() -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(width * 7 + height))
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 3)
    for y in 0..<height {
      for x in 0..<width {
        if isNoise {
          for _ in 0..<3 { pixels.append(UInt8(truncatingIfNeeded: random.next())) }
          continue
        }
        let grain = Int(random.next() & 7)
        let isLit = (x / 13 + y / 11) % 3 == 0
        pixels.append(UInt8(20 + x * 100 / width + grain + (isLit ? 100 : 0)))
        pixels.append(UInt8(30 + (x * x / 16 + y * 3) & 63 + grain + (isLit ? 90 : 0)))
        pixels.append(UInt8(40 + y * 120 / height + grain + (isLit ? 0 : 50)))
      }
    }
    return pixels
  }

  /// The file.
  package func bytes() -> [UInt8] { bytes(of: pixels()) }

  /// The file of other pixels, three bytes each.
  package func bytes(of pixels: [UInt8]) -> [UInt8] {
    var encoder = jpeg_compress_struct()
    var errors = jpeg_error_mgr()
    encoder.err = jpeg_std_error(&errors)
    jpeg_CreateCompress(&encoder, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
    defer { jpeg_destroy_compress(&encoder) }
    var memory: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    jpeg_mem_dest(&encoder, &memory, &count)
    encoder.image_width = UInt32(width)
    encoder.image_height = UInt32(height)
    encoder.input_components = 3
    encoder.in_color_space = JCS_RGB
    jpeg_set_defaults(&encoder)
    if sampling == .gray { jpeg_set_colorspace(&encoder, JCS_GRAYSCALE) }
    encoder.comp_info[0].h_samp_factor = sampling.across
    encoder.comp_info[0].v_samp_factor = sampling.down
    jpeg_set_quality(&encoder, quality, 1)
    encoder.optimize_coding = isOptimized ? 1 : 0
    encoder.arith_code = isArithmetic ? 1 : 0
    encoder.restart_interval = restarts
    if isProgressive { jpeg_simple_progression(&encoder) }
    let channels = sampling == .gray ? 1 : 3
    let scans = hasScans ? JPEGScript.wholeComponents(channels) : script.scans(channels)
    var pixels = pixels
    scans.withUnsafeBufferPointer { scans in
      if isProgressive || hasScans, !scans.isEmpty {
        encoder.scan_info = scans.baseAddress
        encoder.num_scans = Int32(scans.count)
      }
      jpeg_start_compress(&encoder, 1)
      pixels.withUnsafeMutableBufferPointer { pixels in
        for y in 0..<height {
          var row = pixels.baseAddress.map { $0 + y * width * 3 }
          jpeg_write_scanlines(&encoder, &row, 1)
        }
      }
      jpeg_finish_compress(&encoder)
    }
    defer { free(memory) }
    return Array(UnsafeBufferPointer(start: memory, count: Int(count)))
  }
}
