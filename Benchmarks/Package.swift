// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

// What `pkg-config --cflags librsvg-2.0` says.
let librsvg =
  [
    "librsvg-2.0", "glib-2.0", "cairo", "gdk-pixbuf-2.0",
  ]
  .map { "-I/usr/include/\($0)" }
  + ["x86_64", "aarch64"].map { "-I/usr/lib/\($0)-linux-gnu/glib-2.0/include" }

let package = Package(
  name: "ikran-benchmarks",
  dependencies: [.package(name: "ikran", path: "..")],
  targets: [
    // The same jobs in C, libvips if installed, and system calls that Swift cannot make.
    .target(
      name: "CPeers",
      cSettings: [.unsafeFlags(["-O3"] + librsvg)],
      linkerSettings: [
        "avif", "cairo", "curl", "glib-2.0", "gobject-2.0", "heif", "jpeg", "jxl", "lcms2", "png",
        "rsvg-2",
        "sqlite3", "tiff", "webp", "webpdemux", "m", "dl",
      ]
      .map { .linkedLibrary($0) }
    ),
    // libcurl's multi interface without any Swift around it.
    .executableTarget(
      name: "curl-multi-peer",
      path: "Peers",
      exclude: ["animations.py", "filters.py", "pillow.py"],
      sources: ["curl-multi.c"],
      linkerSettings: [.linkedLibrary("curl")]
    ),
    // Foundation contains its own libcurl, so it runs in a separate process.
    .executableTarget(name: "urlsession-peer", swiftSettings: strict),
    .executableTarget(
      name: "ikran-benchmarks",
      dependencies: [
        "CPeers", .product(name: "Ikran", package: "ikran"),
        .product(name: "IkranPlayback", package: "ikran"),
        .product(name: "IkranTransport", package: "ikran"),
        .product(name: "IkranTrace", package: "ikran"),
        .product(name: "IkranText", package: "ikran"),
      ],
      swiftSettings: strict
    ),
  ]
)
