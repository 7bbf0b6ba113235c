@_exported public import IkranTesting
@_exported public import TestBasics
