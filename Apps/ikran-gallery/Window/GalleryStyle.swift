/// The rules that the window adds to the theme's.
enum GalleryStyle {
  static let css = """
    gridview { padding: 10px 12px; background: transparent; }
    gridview > child { padding: 10px 6px; border-radius: 10px; }
    gridview > child > box { margin: 0; border-spacing: 8px; }
    gridview > child:selected { background-color: alpha(currentColor, 0.08); color: inherit; }
    gridview > child:hover { background-color: alpha(currentColor, 0.05); color: inherit; }
    .caption { font-size: 82%; }
    .numeric { font-feature-settings: "tnum"; }
    .status { padding: 8px 16px; border-top: 1px solid alpha(currentColor, 0.15); }
    .message { padding: 8px 16px; background-color: alpha(currentColor, 0.08); }
    .side { border-left: 1px solid alpha(currentColor, 0.15);
      background-color: @theme_bg_color; }
    window:drop(active) { box-shadow: inset 0 0 0 3px #3584e4; }
    .source-memory { color: #3584e4; }
    .source-table { color: #2ec27e; }
    .source-disk { color: #e5a50a; }
    .source-network { color: #c061cb; }
    .cut-circle { border-radius: 9999px; }
    .cut-rounded { border-radius: 16px; }
    .cut-rectangle { border-radius: 0; }
    .checkers { background-color: @theme_base_color; background-image: url("\(checkers)"); }
    """

  /// Two gray squares of eight points on two that are clear, as a PNG file.
  private static let checkers =
    "data:image/png;base64,"
    + "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAQAAAC1+jfqAAAAGklEQVR42mNoYECDvqiQYaQo"
    + "QBNA1zBCFAAA7NWmgSYN5GIAAAAASUVORK5CYII="
}
