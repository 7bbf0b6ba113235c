import CMicroHTTPD
import IkranHTTP

/// One reference to a libmicrohttpd response.
struct ResponseHandle: ~Copyable {
  let pointer: OpaquePointer

  /// Builds a response, whose body is sent from where it is; nil when memory runs out.
  ///
  /// C functions: MHD_create_response_from_buffer_with_free_callback_cls, MHD_add_response_header.
  init?(_ response: ServiceResponse) {
    guard let created = response.body.response(0..<response.body.count) else { return nil }
    pointer = created
    for field in response.fields { MHD_add_response_header(pointer, field.name, field.value) }
  }

  deinit { MHD_destroy_response(pointer) }
}
