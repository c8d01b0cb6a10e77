import { describe, expect, it } from 'vitest'
import { argumentsObject, argumentsText, jsonText, parseArguments } from '../../src/canonical/arguments.ts'
import type { ToolCallBlock } from '../../src/canonical/block.ts'
import type { Loss } from '../../src/canonical/loss.ts'

const call = (text: string, custom = false): ToolCallBlock => ({
  type: 'tool-call',
  at: 'calls[0]',
  id: '1',
  name: 'f',
  arguments: text,
  ...(custom && { custom }),
})

function written(block: ToolCallBlock): [unknown, string[]] {
  const losses: Loss[] = []
  return [argumentsObject(block, losses), losses.map(({ kind, path }) => `${kind} ${path}`)]
}

const DEPTH = 100_000
const deep = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`

describe('The arguments of a call as an object', () => {
  it.each<[string, unknown, string[]]>([
    ['{"a":1}', { a: 1 }, []],
    ['', {}, []],
    [' \n', {}, []],
    ['{"a":', {}, ['changed calls[0].arguments']],
    ['[1,2]', { _value: [1, 2] }, ['changed calls[0].arguments']],
    ['7', { _value: 7 }, ['changed calls[0].arguments']],
    ['"text"', { _value: 'text' }, ['changed calls[0].arguments']],
    ['null', {}, ['changed calls[0].arguments']],
    ['{"a":"12345678901234567890"}', { a: '12345678901234567890' }, []],
    ['{"a":1234567890123456}', { a: 1234567890123456 }, []],
  ])('of %j', (text, value, lost) => {
    expect(written(call(text))).toEqual([value, lost])
  })

  it.each<[string, string]>([
    ['{"a":12345678901234567890,"b":[1e400]}', '{"a":12345678901234567890,"b":[1e400]}'],
    ['[12345678901234567890]', '{"_value":[12345678901234567890]}'],
    ['12345678901234567890', '{"_value":12345678901234567890}'],
  ])('of %j keep their digits', (text, object) => {
    expect(JSON.stringify(written(call(text))[0])).toBe(object)
  })

  it('of a custom tool are its free text', () => {
    expect(written(call('{"a":', true))).toEqual([{ input: '{"a":' }, []])
  })

  it('that can not be written again are none', () => {
    expect(written(call(deep))).toEqual([{}, ['changed calls[0].arguments']])
    expect(parseArguments(deep)).toBeUndefined()
  })
})

describe('The arguments of a call as text', () => {
  it('are the text as it is, or that of the object which some servers send', () => {
    expect(['{"a": 1}', { a: 1 }, [1], undefined, null].map(argumentsText)).toEqual([
      '{"a": 1}',
      '{"a":1}',
      '[1]',
      '',
      '',
    ])
  })

  it('are refused where they are nested too deep: the caller’s, naming the field, or the upstream’s', () => {
    const value: unknown = JSON.parse(deep)
    expect(() => jsonText(value, 'messages[0].input')).toThrow(
      expect.objectContaining({ kind: 'invalid-request', param: 'messages[0].input' }),
    )
    expect(() => argumentsText(value)).toThrow(expect.objectContaining({ kind: 'upstream' }))
  })
})
