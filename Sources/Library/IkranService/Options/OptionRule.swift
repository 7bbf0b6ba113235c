/// How the arguments of an option are read.
enum OptionRule: Sendable {
  /// One argument that switches on or off.
  case flag(@Sendable (inout ProcessingOptions, Bool) -> Void)
  /// One integer of a range.
  case integer(ClosedRange<Int>, @Sendable (inout ProcessingOptions, Int) -> Void)
  /// One number of a range.
  case number(ClosedRange<Double>, @Sendable (inout ProcessingOptions, Double) -> Void)
  /// Any other arguments, read by a function.
  case custom(@Sendable (inout OptionReader, inout OptionArguments) throws(ServiceError) -> Void)
  /// A limit, which only some services let URLs change, read by a function.
  case security(@Sendable (inout OptionReader, inout OptionArguments) throws(ServiceError) -> Void)
  /// None: the option is known, and this service does not have it.
  case unsupported

  /// The rules by each of their names.
  static let all: [String: OptionRule] = {
    var rules: [String: OptionRule] = [:]
    for group in [resizing, framing, effects, output, delivery, limits] {
      for (names, rule) in group {
        for name in names.split(separator: " ") { rules[String(name)] = rule }
      }
    }
    for name in unsupportedNames.split(whereSeparator: \.isWhitespace) {
      rules[String(name)] = .unsupported
    }
    return rules
  }()

  /// Options of the commercial edition of imgproxy.
  private static let unsupportedNames = """
    resizing_algorithm ra objects_position obj_pos op crop_aspect_ratio crop_ar car crop_objects
    background_alpha bga adjust a brightness br contrast co saturation sa monochrome mc duotone dt
    unsharp_masking unsharp_mask ush blur_areas ba progressive_blur pbl blur_detections bd
    draw_detections dd colorize col gradient gr
    watermark_url wmu watermark_text wmt watermark_size wms watermark_rotate wm_rot wmr
    watermark_shadow wmsh style st dpi color_profile cp icc
    jpeg_options jpgo png_options pngo webp_options webpo avif_options avifo
    page pg pages pgs disable_animation da
    video_thumbnail_second vts video_thumbnail_keyframes vtk video_thumbnail_tile vtt
    video_thumbnail_animation vta
    fallback_image_url fiu bypass_cache cache_tags hashsum hs
    """
}
