import CGTK

/// A line of text, or several.
struct Label: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(_ text: String = "") { pointer = gtk_label_new(text) }

  func set(_ text: String) { gtk_label_set_text(opaque, text) }

  /// Shortened with dots at its end, or in its middle.
  @discardableResult
  func ellipsized(inMiddle: Bool = false, characters: Int? = nil) -> Label {
    gtk_label_set_ellipsize(opaque, inMiddle ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END)
    if let characters { gtk_label_set_max_width_chars(opaque, CInt(characters)) }
    return self
  }

  /// Broken into lines of about so many letters.
  @discardableResult
  func wrapped(characters: Int) -> Label {
    gtk_label_set_wrap(opaque, 1)
    gtk_label_set_wrap_mode(opaque, PANGO_WRAP_WORD_CHAR)
    gtk_label_set_max_width_chars(opaque, CInt(characters))
    return self
  }

  /// At the left of its room.
  @discardableResult
  func leading() -> Label {
    gtk_label_set_xalign(opaque, 0)
    return self
  }

  /// As wide as so many letters, whatever it says.
  @discardableResult
  func widthChars(_ characters: Int) -> Label {
    gtk_label_set_width_chars(opaque, CInt(characters))
    return self
  }
}

/// A line of text whose size does not depend on what it says: what a label measures and lays out
/// again for each item costs more than drawing the rest of a cell.
struct Inscription: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init() {
    pointer = gtk_inscription_new(nil)
    gtk_inscription_set_text_overflow(opaque, GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END)
    gtk_inscription_set_xalign(opaque, 0.5)
    gtk_inscription_set_min_chars(opaque, 1)
    gtk_inscription_set_nat_chars(opaque, 1)
  }

  func set(_ text: String) { gtk_inscription_set_text(opaque, text) }
}

/// A picture in the place that its parent gives it.
struct Picture: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init() {
    pointer = gtk_picture_new()
    gtk_picture_set_can_shrink(opaque, 1)
  }

  /// Shows a picture without Ikran, covering its place; nil is none.
  func show(_ texture: Texture?) {
    gtk_picture_set_content_fit(opaque, GTK_CONTENT_FIT_COVER)
    gtk_picture_set_paintable(opaque, texture?.pointer)
  }

  /// Cuts the widget to an outline, as programs without Ikran do; nil leaves the picture as it is.
  func clip(_ outline: Outline?) {
    gtk_widget_set_overflow(pointer, outline == nil ? GTK_OVERFLOW_VISIBLE : GTK_OVERFLOW_HIDDEN)
    for other in Outline.allCases { set(class: "cut-\(other.rawValue)", other == outline) }
  }
}

/// A symbol of the icon theme.
struct Icon: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(_ name: String, size: Int) {
    pointer = gtk_image_new_from_icon_name(name)
    gtk_image_set_pixel_size(opaque, CInt(size))
  }
}
