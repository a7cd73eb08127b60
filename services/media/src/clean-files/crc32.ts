/** The polynomial of CRC-32 without its highest power, the coefficient of x^0 in the highest bit. */
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000
/** x to the power of the bits in a byte. */
const BYTE = ONE >>> 8

/**
 * The CRC-32 of bytes whose first part has one checksum, and the second, of `secondBytes`, the other. As `crc32_combine` of
 * zlib 1.3 (crc32.c): the first one is multiplied by x^8 for each byte that follows, modulo the polynomial.
 */
export function combineCrc32(first: number, second: number, secondBytes: number): number {
  let shift = ONE
  let power = BYTE
  for (let rest = secondBytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(shift, power)
    power = multiply(power, power)
  }
  return (multiply(shift, first) ^ second) >>> 0
}

/** The product of two polynomials modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0
  let shifted = b
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1
  }
  return product
}
