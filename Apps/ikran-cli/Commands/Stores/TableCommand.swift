import Ikran

/// `ikran table`: one image table, by hand.
struct TableCommand: Command {
  enum Action: String, Sendable, CaseIterable {
    case create, put, get, list, stat, verify, compact
  }

  /// The pixel formats by their names for `--pixels`.
  enum Pixels: String, Sendable, CaseIterable {
    case bgra, bgrx, bgr, bgr555, gray

    var format: PixelFormat {
      switch self {
      case .bgra: .bgra
      case .bgrx: .bgrx
      case .bgr: .bgr
      case .bgr555: .bgr555
      case .gray: .gray
      }
    }

    init(_ format: PixelFormat) {
      self =
        switch format {
        case .bgra: .bgra
        case .bgrx: .bgrx
        case .bgr: .bgr
        case .bgr555: .bgr555
        case .gray: .gray
        }
    }
  }

  var action = Action.stat
  var path = ""
  var id: TableID?
  var input: Input?
  var size: PixelSize?
  var pixels = Pixels.bgra
  var count = 10_000
  var limit: Int?
  var family = ""
  var version: TableID?
  var style: Style?
  var destination = Destination()
  var isJSON = false

  static let syntax = Syntax<Self>(
    name: "table",
    summary: "Creates, fills, reads and checks an image table.",
    operand: Operand("create|put|get|list|stat|verify|compact", \.action, .choice),
    moreOperands: [
      Operand("TABLE", \.path, .fileName), .optional("ID", \.id, .tableID),
      .optional("FILE", \.input, .input),
    ],
    options: [
      .one("size", \.size, "WxH", .pixelSize, "create: pixels of every image"),
      .one(
        "pixels",
        \.pixels,
        "FORMAT",
        .choice,
        "create: bgra, bgrx, bgr, bgr555 or gray\n(default: bgra)"
      ),
      .one(
        "count",
        \.count,
        "N",
        .integer(1...Int(Int32.max)),
        "create: the most images (default: 10000)"
      ),
      .one(
        "limit",
        \.limit,
        "BYTES",
        .integer(1...Int.max),
        "create: the most bytes (default: none)"
      ),
      .one(
        "family",
        \.family,
        "NAME",
        .text,
        "create: the group of tables that are filled together"
      ),
      .one(
        "version",
        \.version,
        "V",
        .tableID,
        "put: the version stored (default: that of the\nfile's bytes); get: the only one wanted"
      ),
      .one("style", \.style, "STYLE", .style, "put: the style (default: fills the size)"),
    ] + Option.destination(\.destination) + [
      .flag("json", \.isJSON, "prints JSON; get: the image goes to -o only")
    ],
    notes: [
      """
      create TABLE --size WxH  makes an empty table; TABLE ends in .table
      put TABLE ID FILE        stores an image under ID, in place of an older one; FILE may be a
                               URL or -
      get TABLE ID             writes the image stored under ID
      list TABLE               prints every entry, last used first (with room for 128 and
                               more: roughly); with --json one per line
      stat TABLE               prints its format and what it holds
      verify TABLE             compares every image with its checksum; damaged ones are dropped,
                               and the exit code is 1 when there were any
      compact TABLE            frees unused space
      """,
      """
      IDs and versions are 32 hexadecimal digits, as printed by list (dashes are ignored); any
      other text is replaced by its hash. The key in the JSON of ikran get is the ID in the cache's
      tables.
      """,
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    if [.put, .get].contains(action), id == nil { throw missing("ID") }
    if action == .put, input == nil { throw missing("FILE") }
    if action == .create, size == nil { throw missing("--size WxH") }
    if action == .create, format == nil {
      throw UsageError(
        reason: "TABLE is a file name of letters, digits, - and _ that ends in .table",
        command: Self.name
      )
    }
    let words = action == .put ? 2 : action == .get ? 1 : 0
    if (id == nil ? 0 : 1) + (input == nil ? 0 : 1) > words {
      let taken = words == 0 ? "TABLE" : "TABLE and ID"
      throw UsageError(reason: "\(action.rawValue) takes \(taken) only", command: Self.name)
    }
    if action == .get { try destination.check(output, command: Self.name, isJSON: isJSON) }
  }

  private func missing(_ name: String) -> UsageError {
    UsageError(reason: "\(action.rawValue): \(name) is missing", command: Self.name)
  }

  /// The format to create; nil when the file name is not valid for it.
  var format: TableFormat? {
    let file = path.split(separator: "/").last ?? ""
    guard let size, file.hasSuffix(".table") else { return nil }
    let name = String(file.dropLast(".table".count))
    let format = TableFormat(
      name,
      size: size,
      pixels: pixels.format,
      family: family,
      maximumCount: count,
      byteLimit: limit
    )
    return path.hasSuffix("/") || format.fileName() != file ? nil : format
  }
}

extension Reading where Value == TableID {
  /// 32 hexadecimal digits unchanged, any other text hashed.
  static var tableID: Reading { Reading("") { TableID(hexadecimal: $0) ?? TableID($0) } }
}

extension Reading where Value == PixelSize {
  /// `WxH`.
  static var pixelSize: Reading {
    Reading("a size such as 96x96, sides of 1 to 16384 pixels") { word in
      let sides = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
      guard sides.count == 2, let width = sides[0], let height = sides[1],
        (1...16_384).contains(width), (1...16_384).contains(height)
      else { return nil }
      return PixelSize(width: width, height: height)
    }
  }
}
