import IkranServer
import TestBasics

/// One request on a new connection.
func fetch(
  _ origin: Origin,
  _ path: String,
  method: String = "GET",
  headers: [String: String] = [:]
) throws -> Reply {
  try RawClient(origin.port).get(path, method: method, headers: headers)
}
