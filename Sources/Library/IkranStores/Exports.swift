// Errors of files, and pressure of memory.
@_exported public import IkranSystem
