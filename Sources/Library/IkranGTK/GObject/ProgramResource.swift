import CGTK
public import Ikran

/// A file of the resources that are linked into the program or registered with GIO.
enum ProgramResource {
  /// There is no resource of that name; its path begins with a slash.
  struct Missing: Error, CustomStringConvertible {
    let path: String

    var description: String {
      "the program has no resource “\(path)”; the paths of resources begin with a slash"
    }
  }

  /// The bytes of a resource, copied.
  ///
  /// - Throws: ``Missing``.
  static func bytes(at path: String) throws(Missing) -> [UInt8] {
    guard let bytes = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, nil) else {
      throw Missing(path: path)
    }
    defer { g_bytes_unref(bytes) }
    var count: gsize = 0
    let start = g_bytes_get_data(bytes, &count)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }
}

extension ImageRequest {
  /// Asks for the image in one of the program's resources, as `gtk_image_new_from_resource` does.
  ///
  /// Memory keeps what is made of it; tables and the disk do not, as another version of the program
  /// may have another file of that name. Where there is none, it fails with
  /// ``/Ikran/ImageError/source(_:url:)``.
  ///
  /// - Parameters:
  ///   - resource: Such as `/org/example/Chat/logo.svg`.
  ///   - style: How the image looks.
  ///   - priority: How soon it is wanted.
  public init(
    resource: String,
    style: Style = .automatic,
    priority: ImagePriority = .normal
  ) {
    self.init(id: "gresource://" + resource, style: style, priority: priority) {
      try ProgramResource.bytes(at: resource)
    }
    (caching.reads, caching.stores) = (.memory, .memory)
  }
}
