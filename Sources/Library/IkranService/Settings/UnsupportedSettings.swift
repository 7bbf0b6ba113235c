/// Variables of imgproxy that this service does not have: none that changes something is ignored.
enum UnsupportedSettings {
  /// Those that switch something on.
  private static let flags = [
    "USE_GCS", "USE_ABS", "USE_SWIFT", "S3_USE_DECRYPTION_CLIENT", "RETURN_ATTACHMENT",
    "COOKIE_PASSTHROUGH", "COOKIE_PASSTHROUGH_ALL", "USE_LINEAR_COLORSPACE",
    "DISABLE_SHRINK_ON_LOAD", "PNG_UNLIMITED", "SVG_UNLIMITED", "TIFF_UNLIMITED",
    "PRESERVE_HDR", "JPEG_PROGRESSIVE", "PNG_INTERLACED", "PNG_QUANTIZE", "DATADOG_ENABLE",
    "OPEN_TELEMETRY_ENABLE",
  ]

  /// Those that may only be set to their default.
  private static let defaults = [("WEBP_EFFORT", "4"), ("WEBP_PRESET", "default")]

  /// Those that may not be set; some are secrets.
  private static let texts = [
    "S3_ASSUME_ROLE_ARN", "S3_ASSUME_ROLE_EXTERNAL_ID", "S3_ACCESS_POINTS", "SENTRY_DSN",
    "BUGSNAG_KEY", "HONEYBADGER_KEY", "AIRBRAKE_PROJECT_KEY", "NEW_RELIC_KEY",
    "CLOUD_WATCH_SERVICE_NAME", "ENV_LOCAL_FILE_PATH", "ENV_AWS_SECRET_ID",
    "ENV_AWS_SSM_PARAMETERS_PATH", "ENV_GCP_SECRET_ID",
  ]

  /// Those without a meaning here: what they are about cannot be switched on, or off.
  private static let ignored = [
    "PNG_QUANTIZATION_COLORS", "COOKIE_BASE_URL", "USE_LAST_MODIFIED", "LAST_MODIFIED_BUSTER",
    "SANITIZE_SVG", "ALWAYS_RASTERIZE_SVG", "WRITE_RESPONSE_TIMEOUT", "CLIENT_KEEP_ALIVE_TIMEOUT",
  ]

  /// Throws for all that ask for what the service does not have.
  static func check(_ reader: inout SettingsReader) throws(SettingsError) {
    var faults: [SettingsError] = []
    for name in flags where try reader.flag(name, false) {
      faults += reader.variable(name).map { [$0.fault("0, as \(reason)")] } ?? []
    }
    for (name, standard) in defaults {
      guard let found = reader.variable(name), found.text != standard else { continue }
      faults.append(found.fault("\(standard), as another one \(end)"))
    }
    for name in texts {
      guard let found = reader.variable(name) else { continue }
      let expected = "no such variable, as \(reason)"
      faults.append(SettingsError(variable: found.name, value: "…", expected: expected))
    }
    for name in ignored { _ = reader.variable(name) }
    guard var first = faults.first else { return }
    first.others = Array(faults.dropFirst())
    throw first
  }

  private static let end = "is not supported by this service"
  private static let reason = "it \(end)"
}
