import { describe, expect, it } from 'vitest'
import { parse } from '../../src/canonical/json.ts'

const list = (count: number, item: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join()}]`

describe('The JSON of an upstream', () => {
  it.each([
    ['one object', list(1, () => `{${list(60_000, (index) => `"key-${index}" : 1`).slice(1, -1)}}`)],
    ['many objects', list(600, (nth) => `{${list(100, (index) => `"key-${nth}-${index}":"\\"x\\""`).slice(1, -1)}}`)],
  ])('with more than 50,000 different keys is not parsed: %s', (_, source) => {
    expect(parse(source)).toBeUndefined()
  })

  it.each([
    ['repeated keys', list(60_000, (index) => `{"token":"${index}","logprob":-1}`)],
    ['values that look like keys', list(60_000, (index) => `"value-${index}:\\":"`)],
    ['numbers', list(200_000, String)],
  ])('with %s is parsed, however long it is', (_, source) => {
    expect(parse(source)).toHaveLength(JSON.parse(source).length)
  })
})
