// https://developer.apple.com/documentation/uikit/uitableviewcell · iOS 2.0 ?
@MainActor open class UITableViewCell: UIView {
  // https://developer.apple.com/documentation/uikit/uitableviewcell/cellstyle · iOS 3.0 ?
  public enum CellStyle: Int, Sendable {
    case `default`
  }
  // https://developer.apple.com/documentation/uikit/uitableviewcell/init(style:reuseidentifier:) · iOS 3.0 ?
  public init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) { super.init(frame: .zero) }
  // https://developer.apple.com/documentation/uikit/uitableviewcell/init(coder:) · iOS 2.0 ?
  public required init?(coder: NSCoder) { nil }
  // https://developer.apple.com/documentation/uikit/uitableviewcell/contentview · iOS 2.0 ?
  open var contentView: UIView { self }
}
