/** Decimal places of a US dollar amount; a nano-dollar is the last of them. */
const DIGITS = 9
const ZERO = 48

/**
 * Formats integer nano-dollars as decimal US dollars, without an exponent and without trailing zeros.
 *
 * @example
 * ```ts
 * inDollars(420_000) // '0.00042'
 * ```
 */
export function inDollars(nanos: number | bigint): string {
  const digits = String(nanos).padStart(DIGITS + 1, '0')
  const point = digits.length - DIGITS
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`
}
