import type { Vector } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'

const FLOAT_BYTES = 4

/** Decodes base64 of little-endian 32-bit floats. @throws HeadgateError if the value is invalid. */
export function toNumbers(vector: Vector): readonly number[] {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0)
    throw new HeadgateError('upstream', 'The provider returned an embedding that is not base64 of 32-bit floats.')
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES))
}

/** Encodes numbers as base64 of little-endian 32-bit floats. */
export function toBase64(vector: Vector): string {
  if (typeof vector === 'string') return vector
  const bytes = Buffer.alloc(vector.length * FLOAT_BYTES)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * FLOAT_BYTES)
  return bytes.toString('base64')
}

/** A vector in the caller's encoding. */
export function encoded(vector: Vector, encoding: 'float' | 'base64'): Vector {
  return encoding === 'base64' ? toBase64(vector) : toNumbers(vector)
}
