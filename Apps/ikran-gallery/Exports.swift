@_exported public import ProgramSupport
