import IkranCodecs
import Testing

@testable import IkranService

/// Settings from variables of the environment.
@Suite("Settings")
struct SettingsTests {
  @Test func withoutVariablesTheDefaultsHold() throws {
    let settings = try ServiceSettings(environment: [:])
    #expect(settings.server.address == ListeningAddress(host: "", port: 8080))
    #expect(settings.server.timeouts.download == .seconds(5))
    #expect(settings.server.work.workers == nil && settings.server.maximumClients == 2048)
    #expect(settings.limits.sourcePixels == 50_000_000 && settings.limits.animationFrames == 1)
    #expect(settings.sources.http.maximumRedirects == 10 && settings.sources.s3 == nil)
    #expect(settings.sources.addresses.allowsPrivate && !settings.sources.addresses.allowsLoopback)
    #expect(settings.sources.urls.querySeparator == "?")
    #expect(settings.caching.lifetime == .seconds(31_536_000) && settings.caching.usesETags)
    #expect(settings.formats.quality == 80 && settings.formats.preferred == [.jpeg, .png, .gif])
    #expect(settings.formats.formatQuality == [.webp: 79, .avif: 63, .jpegXL: 77])
    #expect(settings.formats.defaultOptions == ProcessingOptions())
    #expect(settings.formats.encoders.avifSpeed == 8 && settings.formats.svg.isSanitized)
    #expect(settings.extras.watermark == nil && settings.extras.fallbackStatus == 200)
    #expect(settings.keys.pairs.isEmpty && settings.keys.signatureSize == 32)
  }

  @Test func ourPrefixIsPreferredAndEmptyIsUnset() throws {
    let settings = try ServiceSettings(environment: [
      "IKRAN_QUALITY": "70", "IMGPROXY_QUALITY": "60", "IKRAN_TTL": "", "IMGPROXY_TTL": "5",
      "IMGPROXY_MAX_CLIENTS": "",
    ])
    #expect(settings.formats.quality == 70 && settings.caching.lifetime == .seconds(5))
    #expect(settings.server.maximumClients == 2048)
  }

  @Test(arguments: [
    ("SIGNATURE_SIZE", "0"), ("SIGNATURE_SIZE", "33"), ("BIND", "8080"), ("BIND", ":99999"),
    ("BIND", "::1:80"), ("NETWORK", "unix"), ("NETWORK", "udp"),
    ("TIMEOUT", "0"), ("TIMEOUT", "1s"),
    ("DOWNLOAD_TIMEOUT", "-1"), ("WORKERS", "many"), ("MAX_CLIENTS", "-1"), ("TTL", "1.5"),
    ("MAX_SRC_RESOLUTION", "nan"), ("MAX_ANIMATION_FRAMES", "0"), ("QUALITY", "0"),
    ("QUALITY", "101"), ("FORMAT_QUALITY", "webp"), ("FORMAT_QUALITY", "webp=0"),
    ("FORMAT_QUALITY", "abc=5"), ("PREFERRED_FORMATS", "jpeg,JPG"), ("AUTO_WEBP", "yes"),
    ("WEBP_PRESET", "best"), ("WATERMARK_OPACITY", "2"),
    ("FALLBACK_IMAGE_HTTP_CODE", "20"), ("USE_S3", "2"), ("ALLOWED_SOURCES", "http://a/,"),
    ("ALLOWED_PROCESSING_OPTIONS", ","),
    ("S3_ALLOWED_BUCKETS", "a,,b"), ("TRUSTED_SIGNATURES", " "), ("JPEG_PROGRESSIVE", "1"),
    ("PNG_QUANTIZE", "true"), ("WEBP_EFFORT", "6"), ("WEBP_PRESET", "photo"),
    ("URL_REPLACEMENTS", "a"), ("AUTOQUALITY_METHOD", "ml"), ("AUTOQUALITY_TARGET", "-1"),
    ("AUTOQUALITY_MIN", "0"), ("AUTOQUALITY_MIN", "81"), ("AUTOQUALITY_MAX", "101"),
    ("AUTOQUALITY_ALLOWED_ERROR", "2"), ("AUTOQUALITY_FORMAT_MIN", "avif"),
    ("AUTOQUALITY_MAX_RESOLUTION", "-1"), ("EARLY_END", "2"), ("PREFERRED_FORMATS", "jpeg,heic"),
    ("PREFERRED_FORMATS", "svg"), ("ALLOWED_PROCESSING_OPTIONS", "w,wdth"),
  ])
  func aBadValueNamesItsVariable(name: String, value: String) throws {
    for prefix in ["IKRAN_", "IMGPROXY_"] {
      let error = try #require(settingsFault([prefix + name: value]))
      #expect(error.variable == prefix + name && error.value == value && !error.expected.isEmpty)
      #expect(error.description.contains(value))
    }
  }

  @Test(arguments: [
    ["KEY": "aa"], ["SALT": "aa"], ["KEY": "aa,bb", "SALT": "aa"], ["KEY": "a", "SALT": "bb"],
    ["KEY": "secret", "SALT": "bb"], ["KEY": "aa,", "SALT": "bb,cc"],
  ])
  func keysAndSaltsArePairsOfHexadecimalDigits(variables: [String: String]) throws {
    let environment = Dictionary(uniqueKeysWithValues: variables.map { ("IKRAN_" + $0, $1) })
    let error = try #require(settingsFault(environment))
    #expect(!error.description.contains("secret"))
  }

  @Test(arguments: [
    "USE_GCS", "USE_ABS", "USE_SWIFT", "S3_ASSUME_ROLE_ARN", "S3_ASSUME_ROLE_EXTERNAL_ID",
    "S3_USE_DECRYPTION_CLIENT", "S3_ACCESS_POINTS", "PRESERVE_HDR", "SENTRY_DSN", "NEW_RELIC_KEY",
  ])
  func aVariableThatIsNotSupportedIsRefused(name: String) throws {
    let error = try #require(settingsFault(["IMGPROXY_" + name: "1"]))
    #expect(error.variable == "IMGPROXY_" + name && error.expected.contains("not supported"))
    #expect(settingsFault(["IMGPROXY_" + name: ""]) == nil)
  }

  @Test func allThatIsNotSupportedIsSaidAtOnce() throws {
    let error = try #require(
      settingsFault([
        "IMGPROXY_JPEG_PROGRESSIVE": "1", "IKRAN_WEBP_EFFORT": "6", "IMGPROXY_SENTRY_DSN": "hush",
        "IMGPROXY_PNG_INTERLACED": "0",
      ])
    )
    let text = error.description
    for name in ["IMGPROXY_JPEG_PROGRESSIVE", "IKRAN_WEBP_EFFORT", "IMGPROXY_SENTRY_DSN"] {
      #expect(text.contains(name))
    }
    #expect(!text.contains("INTERLACED") && !text.contains("hush"))
  }

  @Test(arguments: [
    ["IKRAN_KEY": "aa", "IMGPROXY_SALT": "bb"], ["IMGPROXY_KEY": "aa", "IKRAN_SALT": "bb"],
  ])
  func keysAndSaltsHaveOnePrefix(environment: [String: String]) throws {
    let error = try #require(settingsFault(environment))
    for name in environment.keys { #expect(error.variable.contains(name)) }
  }

  @Test func messagesHaveTheWholeNamesOfVariables() throws {
    for (environment, name) in [
      (["IMGPROXY_KEY": "aa"], "IMGPROXY_KEY and "),
      (["IMGPROXY_PRESETS": "a"], "IMGPROXY_PRESETS"),
      (["IKRAN_PROMETHEUS_BIND": ":8080"], "IKRAN_PROMETHEUS_BIND"),
      (["IMGPROXY_AUTOQUALITY_MIN": "81"], "IMGPROXY_AUTOQUALITY_MIN"),
      (["IMGPROXY_BIND": "8080"], "IMGPROXY_BIND"),
    ] {
      let error = try #require(settingsFault(environment))
      #expect(error.description.hasPrefix(name), "\(error)")
    }
  }

  @Test func aProgramsOptionsHaveTheirOwnNamesInMessages() throws {
    let first = SettingsError(variable: "IKRAN_KEY and IKRAN_KEYPATH", value: "…", expected: "one")
    let text = first.naming(["IKRAN_KEYPATH": "--keypath"]).description
    #expect(text == "IKRAN_KEY and --keypath is “…”; expected: one")
  }

  @Test func aSwitchThatIsOffIsNotRefused() {
    #expect(settingsFault(["IMGPROXY_USE_GCS": "0", "IMGPROXY_PRESERVE_HDR": "false"]) == nil)
  }

  @Test(arguments: [
    (["IMGPROXY_BIND": "127.0.0.1:9000", "PORT": "7"], "127.0.0.1", 9000), (["PORT": "7"], "", 7),
    (["IKRAN_BIND": "[::1]:80"], "::1", 80), (["IMGPROXY_BIND": "host:0"], "host", 0),
  ])
  func theAddressIsAHostAndAPort(
    environment: [String: String],
    host: String,
    port: Int
  ) throws {
    let address = try ServiceSettings(environment: environment).server.address
    #expect(address.host == host && Int(address.port) == port)
  }

  @Test func statisticsHaveAnAddressOfTheirOwn() throws {
    let error = try #require(settingsFault(["IMGPROXY_PROMETHEUS_BIND": ":8080"]))
    #expect(error.variable == "IMGPROXY_PROMETHEUS_BIND")
    let settings = try ServiceSettings(environment: ["IMGPROXY_PROMETHEUS_BIND": ":8081"])
    #expect(settings.server.statistics?.address.port == 8081)
  }

  @Test func extraPicturesHaveDataBeforePathsBeforeURLs() throws {
    var environment = ["IMGPROXY_WATERMARK_URL": "http://a"]
    #expect(try ServiceSettings(environment: environment).extras.watermark == .url("http://a"))
    environment["IMGPROXY_WATERMARK_PATH"] = "/a"
    #expect(try ServiceSettings(environment: environment).extras.watermark == .path("/a"))
    environment["IMGPROXY_WATERMARK_DATA"] = "+/8="
    let watermark = try ServiceSettings(environment: environment).extras.watermark
    #expect(watermark == .data([0xFB, 0xFF]))
    environment["IMGPROXY_WATERMARK_DATA"] = "-_8="
    #expect(settingsFault(environment)?.variable == "IMGPROXY_WATERMARK_DATA")
  }

  @Test(arguments: ["IMGPROXY_WATERMARK_PATH", "IKRAN_FALLBACK_IMAGE_PATH"])
  func aPictureThatIsMissingNamesItsVariable(name: String) async throws {
    let error = await #expect(throws: ServiceError.self) {
      try await TestService(variables: [name: "/missing.png"])
    }
    #expect(error?.details.hasPrefix(name + " is “/missing.png”") == true)
  }

  @Test func bucketsAreReadWhereTheyAreSwitchedOn() throws {
    var environment = ["AWS_REGION": "eu-1", "IMGPROXY_S3_ALLOWED_BUCKETS": "a, b"]
    #expect(try ServiceSettings(environment: environment).sources.s3 == nil)
    environment["IMGPROXY_USE_S3"] = "1"
    let s3 = try #require(try ServiceSettings(environment: environment).sources.s3)
    #expect(s3.region == "eu-1" && s3.allowedBuckets == ["a", "b"] && s3.credentials == nil)
  }

  @Test func theSeparatorOfQueriesMayBeEmpty() throws {
    let settings = try ServiceSettings(environment: ["IMGPROXY_SOURCE_URL_QUERY_SEPARATOR": ""])
    #expect(settings.sources.urls.querySeparator.isEmpty)
  }

  @Test func defaultsOfOptionsAreSettings() throws {
    let environment = [
      "IMGPROXY_AUTO_ROTATE": "0", "IMGPROXY_STRIP_METADATA": "0",
      "IMGPROXY_SKIP_PROCESSING_FORMATS": "svg,gif",
    ]
    let options = try options("skp:png", environment)
    #expect(!options.effects.turnsUpright && !options.output.stripsMetadata)
    #expect(options.delivery.skippedFormats == [.svg, .gif, .png])
  }

  @Test func qualitiesAreLookedForAsTheSettingsSay() throws {
    let settings = try ServiceSettings(environment: [
      "IMGPROXY_AUTOQUALITY_METHOD": "dssim", "IKRAN_AUTOQUALITY_TARGET": "0.05",
      "IKRAN_AUTOQUALITY_MIN": "20", "IKRAN_AUTOQUALITY_MAX": "90",
      "IKRAN_AUTOQUALITY_FORMAT_MAX": "webp=85", "IKRAN_AUTOQUALITY_ALLOWED_ERROR": "0.01",
    ]).formats
    let wanted = settings.defaultOptions.output.autoquality
    #expect(wanted == Autoquality(method: .dssim, target: 0.05, allowedError: 0.01))
    let found = QualitySettings(settings).autoquality
    #expect(found.bounds(of: .jpeg, wanted) == 20...90)
    #expect(found.bounds(of: .webp, wanted) == 20...85)
    #expect(found.bounds(of: .avif, wanted) == 60...65)
    let fault = settingsFault(["IKRAN_AUTOQUALITY_METHOD": "size"])
    #expect(
      fault?.variable == "IKRAN_AUTOQUALITY_TARGET" && fault?.expected.contains("bytes") == true
    )
  }

  @Test func allowedSourcesWithoutASlashAreWarnedOf() throws {
    let text = "http://a.test,http://b.test/,https://,s3://bucket,local://"
    let sources = try ServiceSettings(environment: ["IKRAN_ALLOWED_SOURCES": text]).sources
    #expect(sources.warnings.count == 2)
    #expect(sources.warnings.first?.contains("“http://a.test.example.org”") == true)
  }

  @Test func misspeltVariablesAreFound() throws {
    var reader = SettingsReader(["IMGPROXY_QALITY": "5", "IKRAN_QUALITY": "6", "PATH": "/bin"])
    _ = try ServiceSettings(&reader)
    #expect(reader.unknownNames == ["IMGPROXY_QALITY"])
  }
}
