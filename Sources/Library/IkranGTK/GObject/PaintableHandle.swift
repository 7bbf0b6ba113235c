import CGTK

/// Something that draws itself wherever GTK shows a picture.
@MainActor
protocol PaintableContent: AnyObject {
  /// In points; zero where it has no size.
  var width: Int { get }
  var height: Int { get }
  /// Width by height; zero for one that takes any place as it is.
  var aspect: Double { get }
  /// A widget has a place of this size for it, in points, and draws it there next.
  func place(width: Double, height: Double)
  /// Draws into a rectangle of the snapshot's size, in points.
  func draw(on snapshot: SnapshotHandle)
}

/// A `GdkPaintable` that shows a content as long as that exists, and nothing after.
///
/// The GObject class is registered once, from here; each instance holds one pointer. It fills the
/// place that a widget gives it: how a picture fits into it is the content's affair.
@MainActor
struct PaintableHandle {
  /// A `GdkPaintable` with a reference of its own.
  let pointer: OpaquePointer

  private struct Instance {
    var parent: GObject
    var content: UnsafeMutableRawPointer?
  }

  /// Makes a paintable; the caller has its only reference.
  init(_ content: any PaintableContent) {
    guard let object = g_object_new_with_properties(Self.type, 0, nil, nil) else {
      preconditionFailure("GLib ends the program when memory runs out.")
    }
    let raw = UnsafeMutableRawPointer(object)
    raw.assumingMemoryBound(to: Instance.self).pointee.content =
      Unmanaged.passRetained(Box(content)).toOpaque()
    pointer = OpaquePointer(raw)
  }

  /// Gives up the reference.
  func release() { g_object_unref(UnsafeMutableRawPointer(pointer)) }

  /// The content will draw something else.
  func invalidateContents() { gdk_paintable_invalidate_contents(pointer) }

  /// The content has another size.
  func invalidateSize() { gdk_paintable_invalidate_size(pointer) }

  private final class Box {
    weak var content: (any PaintableContent)?
    init(_ content: any PaintableContent) { self.content = content }
  }

  private static func content(_ paintable: OpaquePointer?) -> (any PaintableContent)? {
    guard let paintable else { return nil }
    let instance = UnsafeMutableRawPointer(paintable).assumingMemoryBound(to: Instance.self)
    return instance.pointee.content.flatMap {
      Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().content
    }
  }

  /// What is drawn now, as a paintable that does not change; the caller has its only reference.
  private static func still(of paintable: OpaquePointer?) -> OpaquePointer? {
    guard let content = content(paintable), content.width > 0, content.height > 0,
      let pointer = gtk_snapshot_new()
    else { return gdk_paintable_new_empty(0, 0) }
    let (width, height) = (Double(content.width), Double(content.height))
    content.draw(on: SnapshotHandle(pointer: pointer, width: width, height: height))
    var size = graphene_size_t(width: Float(width), height: Float(height))
    return gtk_snapshot_free_to_paintable(pointer, &size)
  }

  private static let type: GType = {
    let type = g_type_register_static_simple(
      g_type_from_name("GObject"),
      "IkranPaintable",
      CUnsignedInt(MemoryLayout<GObjectClass>.size),
      { table, _ in PaintableHandle.initialize(table) },
      CUnsignedInt(MemoryLayout<Instance>.size),
      nil,
      GTypeFlags(0)
    )
    var interface = GInterfaceInfo(
      interface_init: { table, _ in PaintableHandle.fill(table) },
      interface_finalize: nil,
      interface_data: nil
    )
    g_type_add_interface_static(type, gdk_paintable_get_type(), &interface)
    return type
  }()

  nonisolated private static func initialize(_ table: UnsafeMutableRawPointer?) {
    table?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize = { object in
      guard let object else { return }
      let instance = UnsafeMutableRawPointer(object).assumingMemoryBound(to: Instance.self)
      if let content = instance.pointee.content {
        instance.pointee.content = nil
        Unmanaged<Box>.fromOpaque(content).release()
      }
      let parent = g_type_class_peek(g_type_from_name("GObject"))
      parent?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize(object)
    }
  }

  nonisolated private static func fill(_ table: UnsafeMutableRawPointer?) {
    guard let table = table?.assumingMemoryBound(to: GdkPaintableInterface.self) else { return }
    table.pointee.snapshot = { paintable, snapshot, width, height in
      guard let snapshot, width > 0, height > 0 else { return }
      nonisolated(unsafe) let paintable = paintable  // GTK calls on its thread
      nonisolated(unsafe) let drawing = snapshot  // GTK calls on its thread
      MainActor.assumeIsolated {
        let snapshot = SnapshotHandle(pointer: drawing, width: width, height: height)
        guard let content = PaintableHandle.content(paintable) else { return }
        content.place(width: width, height: height)
        content.draw(on: snapshot)
      }
    }
    table.pointee.get_current_image = { paintable in
      nonisolated(unsafe) let paintable = paintable  // GTK calls on its thread
      let address = MainActor.assumeIsolated {
        UInt(bitPattern: PaintableHandle.still(of: paintable))
      }
      return OpaquePointer(bitPattern: address)
    }
    table.pointee.get_intrinsic_width = { paintable in
      nonisolated(unsafe) let paintable = paintable  // GTK calls on its thread
      return MainActor.assumeIsolated { CInt(PaintableHandle.content(paintable)?.width ?? 0) }
    }
    table.pointee.get_intrinsic_height = { paintable in
      nonisolated(unsafe) let paintable = paintable  // GTK calls on its thread
      return MainActor.assumeIsolated { CInt(PaintableHandle.content(paintable)?.height ?? 0) }
    }
    table.pointee.get_intrinsic_aspect_ratio = { paintable in
      nonisolated(unsafe) let paintable = paintable  // GTK calls on its thread
      return MainActor.assumeIsolated { PaintableHandle.content(paintable)?.aspect ?? 0 }
    }
  }
}
