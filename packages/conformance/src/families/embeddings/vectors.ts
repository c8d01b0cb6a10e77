/** The length of vectors for which none is asked. */
const LENGTH = 4
const FLOAT_BYTES = 4

/** The vector of an input: the same for the same, another for another, and of numbers that a float of 32 bits holds. */
export function vectorOf(input: string | readonly number[], length = LENGTH): number[] {
  const codes = typeof input === 'string' ? [...input].map((char) => char.codePointAt(0) ?? 0) : input
  const sum = codes.reduce((total, code, index) => (total * 31 + code + index) % 65_521, 7)
  return Array.from({ length }, (_, index) => ((sum * (index + 3)) % 8192) / 8192 - 0.5)
}

/** So many tokens an input is. */
export function tokensOf(input: string | readonly number[]): number {
  return typeof input === 'string' ? input.split(' ').length : input.length
}

export function toBase64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}

/** The numbers of a vector in either encoding; undefined where it is none. */
export function numbersOf(vector: unknown): number[] | undefined {
  if (Array.isArray(vector)) return vector.every((one) => typeof one === 'number') ? vector : undefined
  if (typeof vector !== 'string') return undefined
  const bytes = Buffer.from(vector, 'base64')
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0) return undefined
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES))
}
