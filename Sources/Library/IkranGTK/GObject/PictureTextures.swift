import CGTK
import Ikran
import IkranViews

/// What GTK's renderers draw of a bitmap; its pixels are lent, not copied.
///
/// GTK 4.8 converts the textures of a window that Cairo draws on every frame: three bytes per pixel
/// take a tenth of the time of four with alpha. So opaque pictures of three bytes are textures
/// everywhere, and others are Cairo's surfaces where Cairo draws.
@MainActor
final class PictureTextures {
  private let bitmap: Bitmap
  private var textureHandle: TextureHandle?
  private var surfaceHandle: SurfaceHandle?

  init(_ bitmap: Bitmap) { self.bitmap = bitmap }

  /// A `GdkTexture`, made when it is first drawn.
  var texture: OpaquePointer? {
    if textureHandle == nil { textureHandle = makeTexture().map { TextureHandle(pointer: $0) } }
    return textureHandle?.pointer
  }

  /// A Cairo surface, made when it is first drawn; nil for a picture that is a texture everywhere.
  var surface: OpaquePointer? {
    if surfaceHandle == nil { surfaceHandle = makeSurface().map { SurfaceHandle(pointer: $0) } }
    return surfaceHandle?.pointer
  }

  /// A reference to a texture; it may be given up on any thread.
  private struct TextureHandle: ~Copyable {
    let pointer: OpaquePointer
    deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }
  }

  /// A reference to a surface; it may be given up on any thread.
  private struct SurfaceHandle: ~Copyable {
    let pointer: OpaquePointer
    deinit { cairo_surface_destroy(pointer) }
  }

  /// Keeps the pixels alive for GTK, which may let go of them on any thread.
  private final class Loan: Sendable {
    let bitmap: Bitmap
    init(_ bitmap: Bitmap) { self.bitmap = bitmap }
  }

  private func makeTexture() -> OpaquePointer? {
    let loan = Unmanaged.passRetained(Loan(bitmap)).toOpaque()
    // The loan keeps the memory valid after the call.
    let bytes = bitmap.withUnsafeBytes { pixels in
      g_bytes_new_with_free_func(
        pixels.baseAddress,
        gsize(pixels.count),
        { loan in if let loan { Unmanaged<Loan>.fromOpaque(loan).release() } },
        loan
      )
    }
    defer { g_bytes_unref(bytes) }
    return gdk_memory_texture_new(
      CInt(bitmap.width),
      CInt(bitmap.height),
      // The fourth byte of an opaque pixel is 255.
      bitmap.format == .bgr ? GDK_MEMORY_B8G8R8 : GDK_MEMORY_B8G8R8A8_PREMULTIPLIED,
      bytes,
      gsize(bitmap.bytesPerRow)
    )
  }

  private func makeSurface() -> OpaquePointer? {
    guard bitmap.format != .bgr, bitmap.bytesPerRow % 4 == 0, bitmap.bytesPerRow <= CInt.max,
      max(bitmap.width, bitmap.height) <= 32_767
    else { return nil }
    let surface = bitmap.withUnsafeBytes { pixels in
      // Cairo only reads a surface that nothing is drawn on.
      cairo_image_surface_create_for_data(
        UnsafeMutableRawPointer(mutating: pixels.baseAddress)?
          .assumingMemoryBound(to: UInt8.self),
        bitmap.format == .bgra ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
        CInt(bitmap.width),
        CInt(bitmap.height),
        CInt(bitmap.bytesPerRow)
      )
    }
    guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(surface)
      return nil
    }
    cairo_surface_set_user_data(
      surface,
      Self.loanKey,
      Unmanaged.passRetained(Loan(bitmap)).toOpaque()
    ) { loan in if let loan { Unmanaged<Loan>.fromOpaque(loan).release() } }
    return surface
  }

  /// Its address names the loan among a surface's data.
  private static let loanKey = UnsafeMutablePointer<cairo_user_data_key_t>.allocate(capacity: 1)
}

extension DrawableBitmap {
  /// A `GdkTexture`, made when it is first drawn.
  var texture: OpaquePointer? { textures.texture }

  /// A Cairo surface, made when it is first drawn; nil for a picture that is a texture everywhere.
  var surface: OpaquePointer? { textures.surface }

  private var textures: PictureTextures {
    if let made = drawing as? PictureTextures { return made }
    let made = PictureTextures(bitmap)
    drawing = made
    return made
  }
}
