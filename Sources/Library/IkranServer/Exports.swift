// Responses that programs write have its fields.
@_exported public import struct IkranHTTP.Field
