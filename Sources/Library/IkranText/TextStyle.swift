public import IkranPixels

/// The look of a text; lengths are in pixels.
public struct TextStyle: Sendable, Hashable {
  /// How heavy a font's strokes are; the font's nearest weight is taken.
  public enum Weight: Int, Sendable, Hashable, CaseIterable {
    /// Thinner than regular.
    case light = 300
    /// The weight of running text.
    case regular = 400
    /// A little heavier than regular.
    case medium = 500
    /// A little lighter than bold.
    case semibold = 600
    /// The weight of headings.
    case bold = 700
  }

  /// Where shorter lines lie next to longer ones; the text's direction decides what is leading.
  public enum Alignment: Sendable, Hashable, CaseIterable {
    /// Lines begin at the same edge: left for Latin letters, right for Arabic ones.
    case leading
    /// Lines share their middle.
    case center
    /// Lines end at the same edge.
    case trailing
  }

  /// The font's size in pixels, from 1 to 2,048; lines are a little more than that apart.
  public var fontSize: Double
  /// The letters' colour; emoji keep their own.
  public var color: Color
  /// The weight of the strokes.
  public var weight: Weight
  /// How lines are aligned.
  public var alignment: Alignment
  /// The width at which lines end, or nil when they may be as long as they are.
  public var maximumWidth: Int?
  /// Into how many lines each line of the text may be broken at the maximum width, at least one;
  /// the last one ends with an ellipsis when there is more.
  public var maximumLines: Int
  /// The font's family, or several with commas; characters it lacks come from other fonts.
  public var family: String

  /// Creates a style.
  public init(
    fontSize: Double = 16,
    color: Color = .black,
    weight: Weight = .regular,
    alignment: Alignment = .leading,
    maximumWidth: Int? = nil,
    maximumLines: Int = 1,
    family: String = "sans-serif"
  ) {
    self.fontSize = fontSize
    self.color = color
    self.weight = weight
    self.alignment = alignment
    self.maximumWidth = maximumWidth
    self.maximumLines = maximumLines
    self.family = family
  }
}
