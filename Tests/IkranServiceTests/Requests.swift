@testable import IkranService

/// What a reader with some variables of the environment makes of a target.
func request(
  _ target: String,
  _ environment: [String: String] = [:],
  now: Int64 = 0
) throws -> ServiceRequest {
  try RequestReader(ServiceSettings(environment: environment)).read(target: target, now: now)
}

/// The source of a target without a signature.
func source(_ path: String, _ environment: [String: String] = [:]) throws -> String {
  try request("/_/" + path, environment).source
}

/// What options of a URL ask for.
func options(
  _ text: String,
  _ environment: [String: String] = [:],
  now: Int64 = 0
) throws -> ProcessingOptions {
  try request("/_/\(text)/plain/a", environment, now: now).options
}

/// The error that a target gets; nil where it is read.
func fault(
  _ target: String,
  _ environment: [String: String] = [:],
  now: Int64 = 0
) throws -> ServiceError? {
  let reader = try RequestReader(ServiceSettings(environment: environment))
  do {
    _ = try reader.read(target: target, now: now)
    return nil
  } catch {
    return error
  }
}

/// The error that settings give; nil where they are right.
func settingsFault(_ environment: [String: String]) -> SettingsError? {
  do {
    _ = try RequestReader(ServiceSettings(environment: environment))
    return nil
  } catch {
    return error
  }
}
