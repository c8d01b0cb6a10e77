/** Length of vectors if the request sets none. */
const LENGTH = 4
const FLOAT_BYTES = 4

/** Deterministic vector of an input. Its numbers fit into 32-bit floats. */
export function vectorOf(input: string | readonly number[], length = LENGTH): number[] {
  const codes = typeof input === 'string' ? [...input].map((char) => char.codePointAt(0) ?? 0) : input
  const sum = codes.reduce((total, code, index) => (total * 31 + code + index) % 65_521, 7)
  return Array.from({ length }, (_, index) => ((sum * (index + 3)) % 8192) / 8192 - 0.5)
}

/** Token count of an input. */
export function tokensOf(input: string | readonly number[]): number {
  return typeof input === 'string' ? input.split(' ').length : input.length
}

export function toBase64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}

/** Numbers of a vector in either encoding. Undefined for other values. */
export function numbersOf(vector: unknown): number[] | undefined {
  if (Array.isArray(vector)) return vector.every((one) => typeof one === 'number') ? vector : undefined
  if (typeof vector !== 'string') return undefined
  const bytes = Buffer.from(vector, 'base64')
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0) return undefined
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES))
}
