// Decision 97: one name for what of Foundation is essential: `URL`, `Date` and `Data`. Only Linux has
// it apart from the rest.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
