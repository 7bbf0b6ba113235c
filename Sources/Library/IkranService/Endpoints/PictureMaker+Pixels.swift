import Ikran
import IkranCodecs
import IkranPixels
import IkranStores

extension PictureMaker {
  /// Where the pixels of the first picture are, which are made unless their table has them.
  func pixels(of info: ImageInfo) throws(ServiceError) -> Made {
    guard let tables else { throw .unsupportedEndpoint }
    guard file.mayBeKept else {
      throw .path(reason: "the source's Cache-Control forbids to keep its pixels")
    }
    let plan = try planning.resultPlan(info, as: .png)
    let version = file.content ?? TableID(bytes: file.bytes)
    if let layout = plan.layout {
      let table = try tables.table(of: layout.canvas)
      if table.contains(id, version: version) { return try place(in: table, version) }
    }
    let picture = try rendered(plan)
    let table = try tables.table(of: picture.size)
    do throws(TableError) { try table.put(id, version: version, picture) } catch {
      throw .failed(reason: "\(error)")
    }
    return try place(in: table, version)
  }

  private var id: TableID { TableID(tables.map { $0.fingerprint + wanted.name } ?? wanted.name) }

  private func place(in table: ImageTable, _ version: TableID) throws(ServiceError) -> Made {
    let place = PixelPlace(
      table: table.path,
      id: "\(id)",
      version: "\(version)",
      width: table.format.size.width,
      height: table.format.size.height,
      rowBytes: table.bytesPerRow,
      format: "\(table.format.pixels)"
    )
    return Made(json: try .json(place), size: table.format.size)
  }
}

/// Where a program on this machine finds pixels, as `/pixels` sends it.
private struct PixelPlace: Encodable {
  /// The path of the table.
  let table: String
  let id: String
  let version: String
  let width: Int
  let height: Int
  let rowBytes: Int
  /// How each pixel lies in the table.
  let format: String
}
