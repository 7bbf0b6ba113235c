// swift-tools-version: 6.3
import Foundation
import PackageDescription

/// A format that needs a C library: its trait, and where the library is found.
struct OptionalFormat {
  let trait: String
  let module: String
  /// What pkg-config is asked for: a name, and the oldest version that has what is called.
  let needs: String
  /// The package of its headers, without the ending that Debian or Fedora has for them.
  let package: String

  var pkgConfig: String { String(needs.prefix { $0 != " " }) }

  /// Whether the library's headers are here, and new enough.
  var isInstalled: Bool {
    let query = Process()
    query.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    query.arguments = ["pkg-config", "--exists", needs]
    query.standardError = nil
    guard (try? query.run()) != nil else { return false }
    query.waitUntilExit()
    return query.terminationStatus == 0
  }
}

let optionalFormats = [
  OptionalFormat(trait: "AVIF", module: "CAVIF", needs: "libavif >= 0.11", package: "libavif"),
  OptionalFormat(trait: "HEIC", module: "CHEIF", needs: "libheif >= 1.13", package: "libheif"),
  OptionalFormat(trait: "JXL", module: "CJXL", needs: "libjxl >= 0.7", package: "libjxl"),
  OptionalFormat(trait: "SVG", module: "CRSVG", needs: "librsvg-2.0 >= 2.52", package: "librsvg2"),
  OptionalFormat(trait: "TIFF", module: "CTIFF", needs: "libtiff-4 >= 4.5", package: "libtiff"),
]

/// Stores that a service may share its results in, each with a library of its own (decision 88).
let optionalStores = [("Memcached", "libmemcached"), ("Redis", "hiredis")].map {
  OptionalFormat(trait: $0, module: "C" + $0, needs: $1, package: $1)
}
let optionals = optionalFormats + optionalStores
/// What is off where the package is portable: an iPhone has none of a Mac's libraries.
let installed = optionals.filter(\.isInstalled)

// Decision 97: what no SDK of Apple's has.
#if os(macOS)
let isOnMac = true
#else
let isOnMac = false
#endif
/// Whether the package is made as for Apple's platforms, which IKRAN_PORTABLE does on Linux.
let isPortable = isOnMac || Context.environment["IKRAN_PORTABLE"] != nil

/// Dependencies that a portable build is without, but for a trait on a Mac that has the libraries.
func unlessPortable(_ names: String...) -> [Target.Dependency] {
  guard !isOnMac else {
    return names.map { .target(name: $0, condition: .when(traits: ["CLibraries"])) }
  }
  return isPortable ? [] : names.map { .target(name: $0) }
}

let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isOnMac ? [] : [.treatAllWarnings(as: .error)]) + (isPortable ? [] : [.define("CLibraries")])
  + (isOnMac ? [.enableExperimentalFeature("Lifetimes")] : [])

/// For tests that mostly wait: optimising them would double compile time.
let unoptimized: [SwiftSetting] = [
  .unsafeFlags(["-Onone"], .when(configuration: .release))
]

/// A C library of the system, and the packages of Debian and Fedora that have its headers.
func systemLibrary(_ name: String, pkgConfig: String, apt: String, yum: String) -> Target {
  .systemLibrary(
    name: name,
    path: "Sources/C/\(name)",
    pkgConfig: pkgConfig,
    providers: [
      .apt(apt.split(separator: " ").map(String.init)),
      .yum(yum.split(separator: " ").map(String.init)),
    ]
  )
}

/// A C library whose package has one name, but for the endings that Debian and Fedora add.
func systemLibrary(_ name: String, pkgConfig: String? = nil, package: String) -> Target {
  systemLibrary(
    name,
    pkgConfig: pkgConfig ?? package,
    apt: "\(package)-dev",
    yum: "\(package)-devel"
  )
}

/// The libraries of the formats whose traits are on; that of SVG is called by CIkranCodecs alone.
let optionalLibraries: [Target.Dependency] = optionalFormats.filter { $0.trait != "SVG" }.map {
  .target(name: $0.module, condition: .when(traits: [$0.trait]))
}

/// C libraries of the system: a module map and a short header each, nothing else.
let systemLibraries = [
  systemLibrary(
    "CChafa",
    pkgConfig: "chafa",
    apt: "libchafa-dev libglib2.0-dev",
    yum: "chafa-devel glib2-devel"
  ),
  systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", yum: "libcurl-devel"),
  systemLibrary("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", yum: "openssl-devel"),
  systemLibrary("CDeflate", package: "libdeflate"),
  systemLibrary("CGTK", pkgConfig: "gtk4", apt: "libgtk-4-dev", yum: "gtk4-devel"),
  // Optional: where it is missing, zlib inflates.
  systemLibrary("CISAL", pkgConfig: "libisal", apt: "libisal-dev", yum: "isa-l-devel"),
  systemLibrary("CLittleCMS", pkgConfig: "lcms2", apt: "liblcms2-dev", yum: "lcms2-devel"),
  systemLibrary("CMicroHTTPD", package: "libmicrohttpd"),
  systemLibrary("CPango", pkgConfig: "pangocairo", apt: "libpango1.0-dev", yum: "pango-devel"),
  systemLibrary("CPNG", pkgConfig: "libpng", apt: "libpng-dev", yum: "libpng-devel"),
  systemLibrary("CSeccomp", package: "libseccomp"),
  systemLibrary("CTurboJPEG", pkgConfig: "libjpeg", apt: "libjpeg-dev", yum: "libjpeg-turbo-devel"),
  systemLibrary("CWebP", pkgConfig: "libwebpmux", apt: "libwebp-dev", yum: "libwebp-devel"),
  // These are in every SDK of Apple's, too.
  systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", yum: "sqlite-devel"),
  systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", yum: "zlib-devel"),
]

/// A module, of the library unless another folder is named.
func module(
  _ name: String,
  in folder: String = "Sources/Library",
  dependencies: [Target.Dependency],
  sources: [String]? = nil,
  manifest: String? = nil
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: "\(folder)/\(name)",
    exclude: isOnMac ? [] : manifest.map { [$0] } ?? [],
    sources: sources,
    resources: isOnMac ? manifest.map { [.process($0)] } : nil,
    swiftSettings: strict
  )
}

/// A program, one that users run unless another folder is named.
func program(
  _ name: String,
  in folder: String = "Apps",
  dependencies: [Target.Dependency]
) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies,
    path: "\(folder)/\(name)",
    swiftSettings: strict
  )
}

/// A program of the articles, which a test builds, runs and compares with them.
func example(_ name: String, dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies,
    path: "Examples/\(name)",
    swiftSettings: strict + unoptimized
  )
}

/// Tests of a module; those that compute more than they wait are optimised.
func tests(_ name: String, dependencies: [Target.Dependency], computes: Bool = false) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    swiftSettings: computes ? strict : strict + unoptimized
  )
}

let package = Package(
  name: "ikran",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Ikran", targets: ["Ikran"]),
    // The options of connections, TLS and proxies; `Ikran` brings the types that every program names.
    .library(name: "IkranTransport", targets: ["IkranTransport"]),
    // HTTP by Foundation's URLSession; `Ikran` does not import it, nor Foundation.
    .library(name: "IkranURLSession", targets: ["IkranURLSession"]),
    // Animations and their players; it needs neither views nor a network.
    .library(name: "IkranPlayback", targets: ["IkranPlayback"]),
    // Caches for values of any type, and several caches used as one; `Ikran` does not import it.
    .library(name: "IkranCaches", targets: ["IkranCaches"]),
    // Text and initials on pictures, with Pango; `Ikran` does not import it.
    .library(name: "IkranText", targets: ["IkranText"]),
    // Pictures on the widgets of GTK 4; `Ikran` does not import it.
    .library(name: "IkranGTK", targets: ["IkranGTK"]),
    // The rules of views without a platform; `Ikran` does not import it.
    .library(name: "IkranViews", targets: ["IkranViews"]),
    .library(name: "IkranTesting", targets: ["IkranTesting"]),
    // For the command line and Benchmarks/; `Ikran` does not import it.
    .library(name: "IkranTrace", targets: ["IkranTrace"]),
    .executable(name: "ikran", targets: ["ikran-cli"]),
    .executable(name: "ikran-decoder", targets: ["ikran-decoder"]),
    .executable(name: "ikran-gallery", targets: ["ikran-gallery"]),
  ],
  // Decision 77: a format is a trait; without its library it is off, and a file of it a clear error.
  traits: Set(
    optionals.map { .trait(name: $0.trait, description: "Has \($0.trait), by its library.") }
      + (isOnMac
        ? [.trait(name: "CLibraries", description: "Has libjpeg, libpng and others.")] : [])
      + [.default(enabledTraits: isPortable ? [] : Set(installed.map(\.trait)))]
  ),
  targets: [
    // Our own C: the SIMD loops Swift cannot multiversion, and the codecs' longjmp.
    .target(name: "CIkranKernels", path: "Sources/C/CIkranKernels"),
    .target(
      name: "CIkranCodecs",
      dependencies: [
        "CTurboJPEG", "CPNG",
        .target(name: "CRSVG", condition: .when(traits: ["SVG"])),
      ],
      path: "Sources/C/CIkranCodecs"
    ),

    .target(name: "CIkranZlib", dependencies: ["CZlib", "CISAL"], path: "Sources/C/CIkranZlib"),
    .target(name: "CIkranSandbox", dependencies: ["CSeccomp"], path: "Sources/C/CIkranSandbox"),

    // The library, inner ring first.
    module("IkranPixels", dependencies: ["CIkranKernels"]),
    module("IkranText", dependencies: ["IkranPixels", "CPango"]),
    module(
      "IkranCodecs",
      dependencies: ["IkranPixels", "CIkranKernels", "CIkranZlib", "CZlib"]
        + unlessPortable("CIkranCodecs", "CDeflate", "CLittleCMS", "CWebP") + optionalLibraries
    ),
    // Decision 94: the C library and Foundation have one name each. Decision 76: the system's calls.
    module("IkranPOSIX", dependencies: []),
    module("IkranFoundation", dependencies: []),
    // App Store Connect asks for the reasons of some system calls.
    module(
      "IkranSystem",
      dependencies: ["IkranPixels", "IkranPOSIX"],
      manifest: "PrivacyInfo.xcprivacy"
    ),
    module(
      "IkranStores",
      dependencies: ["IkranPixels", "IkranSystem", "CSQLite", "CZlib"]
        + (isOnMac ? [] : ["CCrypto"])
    ),
    // Decision 79: a decoder in another process.
    module(
      "IkranIsolation",
      dependencies: ["IkranCodecs", "IkranSystem"] + (isOnMac ? [] : ["CIkranSandbox"])
    ),
    module("IkranPlayback", dependencies: ["IkranCodecs", "IkranSystem"]),
    module("IkranCaches", dependencies: ["IkranStores", "IkranFoundation"]),
    module(
      "IkranTransport",
      dependencies: ["IkranPixels", "IkranSystem", "IkranFoundation"]
        + unlessPortable("CCurl", "CZlib")
    ),
    module("IkranURLSession", dependencies: ["IkranTransport"]),
    module(
      "Ikran",
      dependencies: [
        "IkranCodecs", "IkranFoundation", "IkranIsolation", "IkranStores", "IkranPlayback",
        "IkranTransport",
      ] + (isPortable ? ["IkranURLSession"] : [])
    ),
    // Decision 93: the rules of views, and a platform that keeps them.
    module("IkranViews", dependencies: ["Ikran"]),
    module("IkranGTK", dependencies: ["IkranViews", "CGTK"]),
    // On a Mac these have UIKit, AppKit and ImageIO; elsewhere what of them needs neither.
    module("IkranApple", dependencies: ["IkranViews"], sources: isOnMac ? nil : ["Rules"]),
    module(
      "IkranImageIO",
      dependencies: ["IkranApple", "IkranCodecs"],
      sources: isOnMac ? nil : ["Rules"]
    ),
    module("IkranTesting", dependencies: ["Ikran"]),
    module("IkranHTTP", dependencies: ["IkranSystem", "CMicroHTTPD"]),
    module("IkranServer", dependencies: ["Ikran", "IkranHTTP"]),
    module(
      "IkranService",
      dependencies: ["Ikran", "IkranHTTP", "IkranText", "CCrypto"]
        + optionalStores.map { .target(name: $0.module, condition: .when(traits: [$0.trait])) }
    ),

    // Programs, and what only they and Benchmarks/ use.
    module("ProgramSupport", in: "Apps", dependencies: ["IkranSystem"]),
    module("IkranTrace", in: "Apps", dependencies: ["IkranStores"]),
    program(
      "ikran-cli",
      dependencies: ["IkranServer", "IkranService", "IkranTrace", "ProgramSupport", "CChafa"]
    ),
    program("ikran-decoder", dependencies: ["IkranIsolation"]),
    program("ikran-gallery", dependencies: ["IkranGTK", "IkranServer", "ProgramSupport"]),

    // Tests: one target per module. What they share: without the pipeline, and with it.
    module("TestBasics", in: "Tests", dependencies: ["IkranPixels", "IkranSystem", "CTurboJPEG"]),
    module("Support", in: "Tests", dependencies: ["TestBasics", "IkranTesting", "IkranStores"]),
    program("StoreTorture", in: "Tests", dependencies: ["IkranStores"]),
    // What Scripts/test runs without a sanitizer is built with it.
    program("PictureLoads", in: "Tests", dependencies: ["Ikran", "ikran-decoder", "StoreTorture"]),
    tests("IkranPixelsTests", dependencies: ["IkranPixels", "TestBasics"], computes: true),
    tests("IkranSystemTests", dependencies: ["IkranSystem", "TestBasics"]),
    tests("IkranTextTests", dependencies: ["IkranText"]),
    tests(
      "IkranCodecsTests",
      dependencies: ["IkranCodecs", "IkranSystem", "CLittleCMS", "CTurboJPEG", "TestBasics"],
      computes: true
    ),
    tests("IkranIsolationTests", dependencies: ["ikran-decoder", "PictureLoads", "TestBasics"]),
    tests("IkranPlaybackTests", dependencies: ["IkranPlayback", "Support"], computes: true),
    tests("IkranStoresTests", dependencies: ["StoreTorture", "Support"]),
    tests("IkranTraceTests", dependencies: ["IkranTrace", "TestBasics"]),
    tests("IkranCachesTests", dependencies: ["IkranCaches", "Support"]),
    tests("IkranTransportTests", dependencies: ["IkranServer", "Support"]),
    tests("IkranURLSessionTests", dependencies: ["IkranURLSession", "IkranServer", "Support"]),
    tests(
      "IkranTests",
      dependencies: ["IkranCaches", "IkranServer", "ikran-decoder", "Support"]
    ),
    tests("IkranLoadingTests", dependencies: ["Ikran", "Support"], computes: true),
    tests("IkranTestingTests", dependencies: ["Support"]),
    tests("IkranViewsTests", dependencies: ["IkranViews", "Support"]),
    tests("IkranAppleRulesTests", dependencies: ["IkranApple", "IkranImageIO"]),
    tests("IkranGTKTests", dependencies: ["IkranGTK", "Support"]),
    tests("IkranGalleryTests", dependencies: ["ikran-gallery", "ikran-decoder", "Support"]),
    tests("IkranServerTests", dependencies: ["IkranServer", "TestBasics"]),
    tests("IkranServiceTests", dependencies: ["IkranService", "IkranServer", "Support"]),
    tests(
      "CommandLineTests",
      dependencies: [
        "ikran-cli", "PictureWindow", "FaceList", "MemberRow", "AvatarServer", "Uploads",
        "FolderStore", "Farbfeld", "PictureLoads", "ikran-decoder", "Support",
      ]
    ),
  ]
)

// The programs of the articles, without and with windows.
package.targets += ["AvatarServer", "Uploads", "FolderStore", "Farbfeld"].map {
  example($0, dependencies: ["Ikran"])
}
package.targets += ["PictureWindow", "FaceList", "MemberRow"].map {
  example($0, dependencies: ["IkranGTK", "CGTK"])
}

package.targets += systemLibraries
package.targets += optionals.map {
  systemLibrary($0.module, pkgConfig: $0.pkgConfig, package: $0.package)
}

// Decision 97: on a Mac the package is what Apple's platforms get.
if isOnMac {
  let core = [
    "CIkranKernels", "CIkranZlib", "CSQLite", "CZlib", "IkranPixels", "IkranCodecs", "IkranPOSIX",
    "IkranFoundation", "IkranSystem", "IkranStores", "IkranIsolation", "IkranPlayback",
    "IkranCaches", "IkranTransport", "IkranURLSession", "Ikran", "IkranViews", "IkranApple",
    "IkranImageIO", "IkranTesting",
  ]
  let libraries = [
    "CIkranCodecs", "CCurl", "CDeflate", "CLittleCMS", "CPNG", "CTurboJPEG", "CWebP",
  ]
  let kept = core + libraries + optionalFormats.map(\.module) + ["IkranAppleRulesTests"]
  package.targets.removeAll { !kept.contains($0.name) }
  package.targets.append(module("IkranSwiftUI", dependencies: ["IkranApple"]))
  package.targets.append(tests("IkranAppleTests", dependencies: ["IkranImageIO", "IkranSwiftUI"]))
  let products = [
    "Ikran", "IkranApple", "IkranImageIO", "IkranSwiftUI", "IkranURLSession", "IkranViews",
    "IkranPlayback", "IkranTesting",
  ]
  package.products = products.map {
    .library(name: $0, targets: [$0])
  }
}

// Decision 31: tests of code with one thread are not built for ThreadSanitizer.
if let left = Context.environment["IKRAN_LEAVES_OUT"]?.split(separator: " ") {
  package.targets.removeAll { left.contains($0.name[...]) }
}
