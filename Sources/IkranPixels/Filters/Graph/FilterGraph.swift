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
    for pass in passes {
      workspace.filterPasses += 1
      switch pass {
      case .points(let program):
        do { picture = try program.run(consume picture, workspace: workspace) } catch {
          throw .bitmap(error)
        }
      case .picture(let run):
        picture = try run(try picture.inFourBytes(), workspace)
      case .custom(let filter):
        do { picture = try filter.apply(to: picture, scale: scale) } catch {
          throw .failed(name: filter.name, reason: String(describing: error))
        }
      }
    }
    return picture
  }
}

/// Point steps that run in one pass: products of matrices are formed here, once.
struct PointProgram: Sendable {
  let steps: [PointStep]

  init(_ steps: [PointStep]) {
    var merged: [PointStep] = []
    for step in steps {
      // Only where the first clamps nothing are two matrices one.
      if case .matrix(let next) = step, case .matrix(let last) = merged.last, last.staysInRange {
        merged[merged.count - 1] = .matrix(last.followed(by: next))
      } else if case .opacity(let next) = step, case .opacity(let last) = merged.last {
        merged[merged.count - 1] = .opacity(last * next)
      } else {
        merged.append(step)
      }
    }
    self.steps = merged
  }

  /// How many of the first steps treat each channel by itself: one table of bytes is all of them.
  var tabled: Int { steps.prefix { $0.isPerChannel }.count }
  var changesAlpha: Bool { steps.contains { $0.changesAlpha } }
}

extension Bitmap {
  /// The same picture with four bytes per pixel.
  func inFourBytes() throws(FilterError) -> Bitmap {
    if format.bytesPerPixel == 4 { return self }
    do { return try converted(to: .bgrx) } catch { throw .bitmap(error) }
  }

  /// The picture after some filters; see ``Filter``.
  ///
  /// Cost: one pass for neighbours that look at single pixels, and what the others need.
  ///
  /// - Parameters:
  ///   - filters: They run in order.
  ///   - scale: Pixels per point, for the lengths among their parameters.
  ///   - workspace: Pass one to filter many pictures.
  /// - Returns: A new bitmap, or this one when nothing changes.
  /// - Throws: ``FilterError`` when a parameter is no finite number, memory runs out or a
  ///   filter of your own throws.
  public func filtered(
    _ filters: [Filter],
    scale: Double = 1,
    workspace: Workspace = Workspace()
  ) throws(FilterError) -> Bitmap {
    let graph = try workspace.graph(for: filters, scale: scale)
    return try graph.run(self, workspace: workspace)
  }
}
