// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "ikran-fuzz",
  dependencies: [.package(name: "ikran", path: "..")],
  targets: [
    // libFuzzer's functions, and libjpeg's coefficients.
    .target(name: "CFuzz", linkerSettings: [.linkedLibrary("jpeg")]),
    // `Scripts/fuzz` brings the flags that instrument all modules.
    .executableTarget(
      name: "ikran-fuzz",
      dependencies: ["CFuzz", .product(name: "Ikran", package: "ikran")],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
    ),
  ]
)
