import type { Vector } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'

const FLOAT_BYTES = 4

/** Numbers out of base64 of 32-bit floats, little endian. @throws HeadgateError when it is none. */
export function toNumbers(vector: Vector): readonly number[] {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0)
    throw new HeadgateError('upstream', 'The provider answered with a vector that is no base64 of 32-bit floats.')
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES))
}

/** Base64 of numbers as 32-bit floats, little endian. */
export function toBase64(vector: Vector): string {
  if (typeof vector === 'string') return vector
  const bytes = Buffer.alloc(vector.length * FLOAT_BYTES)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * FLOAT_BYTES)
  return bytes.toString('base64')
}

/** A vector in the encoding that the caller asks for. */
export function encoded(vector: Vector, encoding: 'float' | 'base64'): Vector {
  return encoding === 'base64' ? toBase64(vector) : toNumbers(vector)
}
