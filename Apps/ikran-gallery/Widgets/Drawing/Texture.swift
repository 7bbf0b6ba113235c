import CGTK
import Ikran

/// A picture of GTK's: drawn, or decoded where it is needed, on the main thread, as in programs
/// without Ikran.
@MainActor
final class Texture {
  let pointer: OpaquePointer

  /// Decodes a file with GdkPixbuf to the least size that covers a square, or with Ikran where
  /// GdkPixbuf does not know its format, such as WebP.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - side: In pixels.
  init?(_ bytes: [UInt8], covering side: Int) {
    if let texture = Self.scaled(bytes, side) {
      pointer = texture
    } else if let texture = Self.decoded(bytes, PixelSize(width: side, height: side)) {
      pointer = texture
    } else {
      return nil
    }
  }

  /// Decodes a file as large as it is.
  init?(_ bytes: [UInt8]) {
    let copy = g_bytes_new(bytes, gsize(bytes.count))
    defer { g_bytes_unref(copy) }
    guard let texture = gdk_texture_new_from_bytes(copy, nil) else { return nil }
    pointer = texture
  }

  /// Takes over a reference.
  init(taking pointer: OpaquePointer) { self.pointer = pointer }

  /// A picture that is there.
  init?(_ picture: Bitmap) {
    guard let texture = Self.texture(picture) else { return nil }
    pointer = texture
  }

  isolated deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

  /// Writes a PNG file.
  ///
  /// - Returns: Whether it could be written.
  func save(to path: String) -> Bool { gdk_texture_save_to_png(pointer, path) != 0 }

  private static func scaled(_ bytes: [UInt8], _ side: Int) -> OpaquePointer? {
    guard let loader = gdk_pixbuf_loader_new() else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
    let prepared: @convention(c) (gpointer?, CInt, CInt, gpointer?) -> Void = {
      guard let loader = $0, $1 > 0, $2 > 0, let side = $3 else { return }
      let factor = Double(Int(bitPattern: side)) / Double(min($1, $2))
      gdk_pixbuf_loader_set_size(
        loader.assumingMemoryBound(to: GdkPixbufLoader.self),
        CInt((Double($1) * factor).rounded()),
        CInt((Double($2) * factor).rounded())
      )
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(loader),
      "size-prepared",
      unsafeBitCast(prepared, to: GCallback.self),
      UnsafeMutableRawPointer(bitPattern: side),
      nil,
      GConnectFlags(0)
    )
    let isWhole = gdk_pixbuf_loader_write(loader, bytes, gsize(bytes.count), nil) != 0
    guard gdk_pixbuf_loader_close(loader, nil) != 0, isWhole,
      let stored = gdk_pixbuf_loader_get_pixbuf(loader),
      let pixels = gdk_pixbuf_apply_embedded_orientation(stored)
    else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(pixels)) }
    let (width, height) = (gdk_pixbuf_get_width(pixels), gdk_pixbuf_get_height(pixels))
    let across = min(CInt(side), width, height)
    // The middle of it: else the widget would be as long as the picture.
    let (left, top) = ((width - across) / 2, (height - across) / 2)
    guard let square = gdk_pixbuf_new_subpixbuf(pixels, left, top, across, across) else {
      return nil
    }
    defer { g_object_unref(UnsafeMutableRawPointer(square)) }
    return gdk_texture_new_for_pixbuf(square)
  }

  private static func decoded(_ bytes: [UInt8], _ size: PixelSize) -> OpaquePointer? {
    guard
      let image = try? CodecList.isolatedStandard.decode(bytes.span, fitting: .cover(size))
    else {
      return nil
    }
    return texture(image.bitmap)
  }

  private static func texture(_ picture: Bitmap) -> OpaquePointer? {
    guard let image = try? picture.converted(to: .bgra) else { return nil }
    let copy = image.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(copy) }
    return gdk_memory_texture_new(
      CInt(image.width),
      CInt(image.height),
      GDK_MEMORY_B8G8R8A8_PREMULTIPLIED,
      copy,
      gsize(image.bytesPerRow)
    )
  }
}
