@_exported public import IkranTesting
