// As `IkranGTK` does: a program with views names these with every picture.
@_exported public import Ikran
@_exported public import struct IkranPlayback.Transition
@_exported public import IkranViews
