// What the SDK's own Swift part of Darwin adds: swift stdlib/public/Platform/Platform.swift.
@_exported public import Darwin

// errno(2): swift stdlib/public/Platform/Platform.swift · macOS 10.0, iOS 2.0
public var errno: Int32 {
  get { __error().pointee }
  set { __error().pointee = newValue }
}

// open(2): swift stdlib/public/Platform/Platform.swift · macOS 10.0, iOS 2.0
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }

// fcntl(2): swift stdlib/public/Platform/Platform.swift · macOS 10.0, iOS 2.0
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { -1 }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { -1 }
public func fcntl(
  _ descriptor: Int32,
  _ command: Int32,
  _ pointer: UnsafeMutableRawPointer
) -> Int32 { -1 }

// stat(2): swift stdlib/public/Platform/Platform.swift · macOS 10.0, iOS 2.0
public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFIFO: mode_t { 0o010000 }
