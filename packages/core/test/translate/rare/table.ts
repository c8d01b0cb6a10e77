import type { Json } from '../../../src/translate.ts'

/** A conversation, and fields of the vendor's specification that are rarely sent, each added to it alone. */
export interface Table {
  readonly base: Json
  readonly fields: readonly Json[]
}

export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const pdf = 'JVBERi0xLjQKcmFyZQ=='
export const mark = { type: 'ephemeral', ttl: '1h' }
export const schema = { type: 'object', properties: { town: { type: 'string', description: 'rare town' } } }
