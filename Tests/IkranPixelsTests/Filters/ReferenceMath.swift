import Glibc

/// The C library's functions under names of their own; they are exact to the last bit or two.
func exponential(_ x: Double) -> Double { exp(x) }
func sine(_ x: Double) -> Double { sin(x) }
func cosine(_ x: Double) -> Double { cos(x) }
func raised(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
