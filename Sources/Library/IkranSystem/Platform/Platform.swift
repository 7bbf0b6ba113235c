/// What differs between the systems that Ikran runs on.
///
/// `Linux/` and `Darwin/` have the same functions, each for its own. No function falls back on an
/// error code: what a system lacks, it says.
package enum Platform {}
