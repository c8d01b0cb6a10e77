/** A nano-dollar is the ninth digit behind the point. */
const DIGITS = 9
const ZERO = 48

/**
 * Whole nano-dollars as a decimal number of US dollars, without an exponent and without zeros at its end: `0.00042`.
 */
export function inDollars(nanos: number | bigint): string {
  const digits = String(nanos).padStart(DIGITS + 1, '0')
  const point = digits.length - DIGITS
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`
}
