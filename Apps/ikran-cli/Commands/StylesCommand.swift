/// `ikran styles`: the grammar of styles.
struct StylesCommand: Command {
  static let syntax = Syntax<Self>(
    name: "styles",
    summary: "Prints the styles and their parameters."
  )

  static let text = """
    original                                  every pixel, unchanged
    rect:WxH                                  covers W×H, cropped equally on both ends
    rounded:WxH,r=R[,b=W][,bc=#RRGGBB[AA]]    the same with round corners
    circle:D[,b=W][,bc=#RRGGBB[AA]]           a disc
    fit:WxH[,shrink]                          the largest size inside W×H, aspect kept
    fit:Wx[,shrink], fit:xH[,shrink]          as wide as W, or as tall as H
    fill:WxH                                  as rect
    region:WxH,x=X,y=Y,w=W,h=H[,isolated]     a rectangle of the picture, in its pixels, at W×H

    W, H, D  points, above 0; multiplied by --scale: pixels, 1…16384
    R        the corner's radius in points, 0 or more
    b        the border's width in points (default: 0, none)
    bc       the border's colour in hexadecimal (default: none; the border is then transparent)
    shrink   a smaller picture keeps its own pixels (default: it is enlarged)
    isolated takes no colour from around the rectangle, as for one cell of a sprite

    Filters may follow, with a + each: circle:96+grayed+blur:4; see ikran filters.
    Numbers have at most three decimals. Examples: circle:96  rounded:320x200,r=12,b=2,bc=#FFFFFF80
    """

  func run(_ output: Output) async throws -> Int32 {
    try output.line(Self.text)
    return 0
  }
}
