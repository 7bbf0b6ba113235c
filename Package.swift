// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "ikran",
  products: [
    .library(name: "Ikran", targets: ["Ikran"]),
    .executable(name: "ikran", targets: ["ikran-cli"]),
  ],
  targets: [
    // C libraries: a module map and a short header each, nothing else.
    .systemLibrary(
      name: "CCurl",
      pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]
    ),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CGIF", providers: [.apt(["libgif-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD",
      pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]
    ),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CTurboJPEG",
      pkgConfig: "libjpeg",
      providers: [.apt(["libjpeg62-turbo-dev"])]
    ),
    .systemLibrary(name: "CWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Our own C: the SIMD loops Swift cannot multiversion, and the codecs' longjmp.
    .target(name: "CIkranKernels"),
    .target(name: "CIkranCodecs", dependencies: ["CTurboJPEG", "CPNG"]),

    // The library, inner ring first.
    .target(name: "IkranPixels", dependencies: ["CIkranKernels"], swiftSettings: strict),
    .target(
      name: "IkranCodecs",
      dependencies: ["IkranPixels", "CIkranCodecs", "CIkranKernels", "CGIF", "CWebP"],
      swiftSettings: strict
    ),
    .target(
      name: "IkranStores",
      dependencies: ["IkranPixels", "CSQLite", "CZlib", "CCrypto"],
      swiftSettings: strict
    ),
    .target(
      name: "Ikran",
      dependencies: ["IkranPixels", "IkranCodecs", "IkranStores", "CCurl"],
      swiftSettings: strict
    ),
    .target(
      name: "IkranServer",
      dependencies: ["Ikran", "IkranPixels", "IkranCodecs", "IkranStores", "CMicroHTTPD"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "ikran-cli",
      dependencies: ["Ikran", "IkranPixels", "IkranCodecs", "IkranStores", "IkranServer"],
      swiftSettings: strict
    ),

    // Tests: one target per module.
    .target(
      name: "Support",
      dependencies: ["Ikran", "IkranPixels", "IkranCodecs", "IkranStores"],
      path: "Tests/Support",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "StoreTorture",
      dependencies: ["IkranPixels", "IkranStores"],
      path: "Tests/StoreTorture",
      swiftSettings: strict
    ),
    .testTarget(
      name: "IkranPixelsTests",
      dependencies: ["IkranPixels", "Support"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "IkranCodecsTests",
      dependencies: ["IkranCodecs", "IkranPixels", "CTurboJPEG", "Support"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "IkranStoresTests",
      dependencies: ["IkranPixels", "IkranStores", "StoreTorture", "Support"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "IkranTests",
      dependencies: ["Ikran", "IkranStores", "IkranServer", "Support"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "IkranServerTests",
      dependencies: ["IkranServer", "Ikran", "IkranCodecs", "IkranPixels"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "CommandLineTests",
      dependencies: ["ikran-cli", "Ikran", "IkranServer", "Support"],
      swiftSettings: strict
    ),
  ]
)
