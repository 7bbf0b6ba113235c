// Decision 43: filters are values in a graph.
/// The passes that a chain of filters takes, fewer than filters where neighbours can share one.
struct FilterGraph: Sendable {
  enum Pass: Sendable {
    case points(PointProgram)
    case picture(@Sendable (Bitmap, Workspace) throws(FilterError) -> Bitmap)
    case custom(any CustomFilter)
  }

  let passes: [Pass]
  let scale: Double

  /// Plans `filters` at `scale` pixels per point.
  ///
  /// - Throws: ``FilterError`` when a parameter is no finite number.
  init(_ filters: [Filter], scale: Double) throws(FilterError) {
    try Self.check(filters, scale: scale)
    var passes: [Pass] = []
    var points: [PointStep] = []
    for filter in filters {
      switch filter.kind {
      case .standard(let definition, let values):
        for step in try definition.steps(values, scale: scale) {
          switch step {
          case .point(let step): points.append(step)
          case .picture(let run):
            Self.end(&points, &passes)
            passes.append(.picture(run))
          }
        }
      case .custom(let filter):
        Self.end(&points, &passes)
        passes.append(.custom(filter))
      }
    }
    Self.end(&points, &passes)
    self.passes = passes
    self.scale = scale
  }

  /// Refuses what is no finite number, without planning anything.
  static func check(_ filters: [Filter], scale: Double) throws(FilterError) {
    for filter in filters {
      guard scale.isFinite, scale > 0 else {
        throw .notFinite(filter: filter.name, parameter: "scale")
      }
      if case .standard(let definition, let values) = filter.kind { try definition.check(values) }
    }
  }

  private static func end(_ points: inout [PointStep], _ passes: inout [Pass]) {
    let program = PointProgram(points)
    if !program.steps.isEmpty { passes.append(.points(program)) }
    points = []
  }

  /// Runs all passes; pixels without another reference are changed in place where a pass can.
  func run(_ bitmap: consuming Bitmap, workspace: Workspace) throws(FilterError) -> Bitmap {
    var picture = consume bitmap
    for pass in passes { picture = try run(pass, on: consume picture, workspace: workspace) }
    return picture
  }

  /// Runs all passes, asking before each whether the picture is still wanted; nil when it is not.
  func run(
    _ bitmap: consuming Bitmap,
    workspace: Workspace,
    while isWanted: () -> Bool
  ) throws(FilterError) -> Bitmap? {
    var picture = consume bitmap
    for pass in passes {
      guard isWanted() else { return nil }
      picture = try run(pass, on: consume picture, workspace: workspace)
    }
    return picture
  }

  private func run(
    _ pass: Pass,
    on picture: consuming Bitmap,
    workspace: Workspace
  ) throws(FilterError) -> Bitmap {
    workspace.filterPasses += 1
    switch pass {
    case .points(let program):
      do { return try program.run(consume picture, workspace: workspace) } catch {
        throw .bitmap(error)
      }
    case .picture(let run):
      return try run(try picture.inFourBytes(), workspace)
    case .custom(let filter):
      do { return try filter.apply(to: picture, scale: scale) } catch {
        throw .failed(name: filter.name, reason: String(describing: error))
      }
    }
  }
}

extension Bitmap {
  /// The same picture with four bytes per pixel.
  fileprivate func inFourBytes() throws(FilterError) -> Bitmap {
    if format.bytesPerPixel == 4 { return self }
    do { return try converted(to: .bgrx) } catch { throw .bitmap(error) }
  }
}
