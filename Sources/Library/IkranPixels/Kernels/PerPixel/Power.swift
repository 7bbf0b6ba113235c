import CIkranKernels

/// base^exponent, by the C library.
package func power(_ base: Double, _ exponent: Double) -> Double { ikran_power(base, exponent) }
