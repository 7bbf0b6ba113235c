/// Variables of imgproxy that this service does not have: none is ignored.
enum UnsupportedSettings {
  /// Those that switch something on.
  private static let flags = [
    "USE_GCS", "USE_ABS", "USE_SWIFT", "S3_USE_DECRYPTION_CLIENT", "PRESERVE_HDR",
    "RETURN_ATTACHMENT", "DATADOG_ENABLE", "OPEN_TELEMETRY_ENABLE",
  ]

  /// Those that are set at all.
  private static let texts = [
    "S3_ASSUME_ROLE_ARN", "S3_ASSUME_ROLE_EXTERNAL_ID", "S3_ACCESS_POINTS", "SENTRY_DSN",
    "BUGSNAG_KEY", "HONEYBADGER_KEY", "AIRBRAKE_PROJECT_KEY", "NEW_RELIC_KEY",
    "CLOUD_WATCH_SERVICE_NAME", "ENV_LOCAL_FILE_PATH", "ENV_AWS_SECRET_ID",
    "ENV_AWS_SSM_PARAMETERS_PATH", "ENV_GCP_SECRET_ID",
  ]

  /// Throws for the first that is set to something else than its default.
  static func check(_ reader: inout SettingsReader) throws(SettingsError) {
    for name in flags where try reader.flag(name, false) {
      throw fault(name, &reader)
    }
    for name in texts where reader.variable(name) != nil {
      throw fault(name, &reader)
    }
  }

  private static func fault(_ name: String, _ reader: inout SettingsReader) -> SettingsError {
    let variable = reader.variable(name)
    return SettingsError(
      variable: variable?.name ?? name,
      value: "…",
      expected: "no such variable: it is not supported by this service"
    )
  }
}
