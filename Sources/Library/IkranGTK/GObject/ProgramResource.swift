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

  /// What names a resource in caches.
  static func id(of path: String) -> String { "gresource://" + path }

  /// The path in what follows the colon of a `gresource:` URL, without a query.
  static func path(inAddress address: Substring) -> String {
    var rest = address.prefix { $0 != "?" }
    if rest.hasPrefix("//") { rest.removeFirst(2) }
    let encoded = String(rest)
    guard let decoded = g_uri_unescape_string(encoded, nil) else { return encoded }
    defer { g_free(decoded) }
    return String(cString: decoded)
  }
}

extension ImageRequest {
  /// Asks for the image in one of the program's resources, as `gtk_image_new_from_resource` does.
  ///
  /// Memory keeps what is made of it; tables and the disk do not, as another version of the program
  /// may have another file of that name. Where there is none, it fails with
  /// ``/Ikran/ImageError/source(_:url:)``. Views take the URL `gresource:///org/example/logo.svg`
  /// for the same.
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
    self.init(id: ProgramResource.id(of: resource), style: style, priority: priority) {
      try ProgramResource.bytes(at: resource)
    }
    (caching.reads, caching.stores) = (.memory, .memory)
  }

  /// The request for the resource that a `gresource:` URL names; the same for all other requests.
  var withResource: ImageRequest {
    guard let rest = address(in: "gresource") else { return self }
    let resource = ProgramResource.path(inAddress: rest)
    var request = with(id: ProgramResource.id(of: resource)) {
      try ProgramResource.bytes(at: resource)
    }
    request.caching.reads.formIntersection(.memory)
    request.caching.stores.formIntersection(.memory)
    return request
  }
}
