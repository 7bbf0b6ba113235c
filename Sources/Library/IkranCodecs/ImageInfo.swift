public import IkranPixels

/// What the headers of an image file say, read without decoding pixels.
public struct ImageInfo: Sendable, Hashable {
  /// The file format.
  public var format: ImageFormat
  /// Width and height as stored, before ``orientation`` turns the picture.
  public var size: PixelSize
  /// How the stored pixels must be turned to stand upright; upright when the file says nothing.
  public var orientation = Orientation.up
  /// The number of pictures shown one after the other, or of the pages of TIFF and the pictures of
  /// HEIC; 1 for stills.
  ///
  /// Pages have no time: ``isAnimated`` is false for them. GIF, WebP and TIFF count those present
  /// in the given bytes, PNG and AVIF report what their headers declare.
  public var frames = 1
  /// How long each frame is shown, in milliseconds as the file says (0 stays 0); empty for stills.
  ///
  /// May be shorter than ``frames`` when only a prefix of the file was given.
  public var durations: [Int] = []
  /// The number of plays as the file says, 0 = forever; nil for stills.
  ///
  /// GIF stores how often it is repeated after the first time, or nothing for one play; PNG and
  /// WebP store the number of plays, and AVIF the time that it plays.
  public var loops: Int?
  /// Whether any pixel may be transparent.
  public var hasAlpha = false
  /// Bits of one colour channel as stored; 8 for palettes.
  public var bitsPerChannel = 8
  /// Whether the file carries an ICC profile.
  public var hasICCProfile = false

  /// Describes an opaque, upright still with eight bits per channel.
  public init(format: ImageFormat, size: PixelSize) {
    self.format = format
    self.size = size
  }

  /// Whether there is more than one frame; pages have no time, so they are none.
  public var isAnimated: Bool { frames > 1 && ![.tiff, .heic, .heif].contains(format) }

  /// Width and height of the picture once it stands upright.
  public var uprightSize: PixelSize { orientation.uprightSize(of: size) }
}

extension ImageInfo {
  /// The crop and size that `fitting` needs from the stored pixels.
  ///
  /// - Throws: ``DecodeError/bitmap(_:)`` for a region that is not inside the picture.
  func plan(_ fitting: Fitting) throws(DecodeError) -> RenderPlan {
    do throws(BitmapError) { try fitting.check(in: uprightSize) } catch { throw .bitmap(error) }
    return RenderPlan(stored: size, orientation: orientation, fitting: fitting)
  }

  /// Whether the rest of a file may have frames that are not counted here.
  ///
  /// - Parameter beginning: The bytes that this was read from.
  /// - Returns: False when all frames are counted.
  package func mayHaveMoreFrames(after beginning: Span<UInt8>) -> Bool {
    switch format {
    case .gif: true
    case .png: isAnimated
    // The flags of an extended header.
    case .webp: beginning.has("VP8X", at: 12) && (beginning.byte(at: 20) ?? 0) & 2 != 0
    #if JXL
    case .jpegXL: (try? JXLHeader(beginning, frames: false))?.isAnimation ?? false
    #endif
    default: false
    }
  }
}
