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

let package = Package(
  name: "ikran-benchmarks",
  dependencies: [.package(name: "ikran", path: "..")],
  targets: [
    // The same jobs in C, libvips if installed, and system calls that Swift cannot make.
    .target(
      name: "CPeers",
      cSettings: [.unsafeFlags(["-O3"])],
      linkerSettings: ["curl", "jpeg", "lcms2", "png", "sqlite3", "webp", "webpdemux", "m", "dl"]
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
