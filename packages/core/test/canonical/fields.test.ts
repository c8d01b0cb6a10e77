import { describe, expect, it } from 'vitest'
import {
  booleanField,
  bothGiven,
  integerField,
  listField,
  modelField,
  numberField,
  objectField,
  readObjects,
  requiredObject,
  requiredString,
  requiredWord,
  stringField,
  stringsField,
  unknownWord,
  wordField,
} from '../../src/canonical/fields.ts'
import type { Json } from '../../src/canonical/json.ts'
import { HeadgateError } from '../../src/errors.ts'

type Reader = (object: Json, key: string, at: string) => unknown

const word: Reader = (object, key, at) => wordField(object, key, at, ['low', 'high'])
const someWord: Reader = (object, key, at) => requiredWord(object, key, at, ['low', 'high'])

function refusal(run: () => unknown): { param: string | undefined; message: string } {
  try {
    run()
  } catch (error) {
    if (HeadgateError.is(error)) return { param: error.param, message: error.message }
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('A field of a request', () => {
  it.each<[string, Reader, unknown]>([
    ['a string', stringField, ''],
    ['a number', numberField, 0.5],
    ['an integer', integerField, 0],
    ['a boolean', booleanField, false],
    ['an object', objectField, {}],
    ['a list', listField, []],
    ['strings', stringsField, ['a', '']],
    ['a word', word, 'low'],
    ['a required string', requiredString, ''],
    ['a required object', requiredObject, {}],
    ['a required word', someWord, 'high'],
  ])('that is %s is read', (_, read, value) => {
    expect(read({ key: value }, 'key', 'at')).toEqual(value)
  })

  it.each<[string, Reader]>([
    ['a string', stringField],
    ['a number', numberField],
    ['an integer', integerField],
    ['a boolean', booleanField],
    ['an object', objectField],
    ['a list', listField],
    ['strings', stringsField],
    ['a word', word],
  ])('that may be %s may be absent or null', (_, read) => {
    expect([read({}, 'key', ''), read({ key: null }, 'key', '')]).toEqual([undefined, undefined])
  })

  it.each<[Reader, unknown, string]>([
    [stringField, 5, 'is a number. Send a string.'],
    [stringField, ['secret'], 'is a list. Send a string.'],
    [numberField, 'secret', 'is a string. Send a number.'],
    [numberField, Number.NaN, 'is a number. Send a number.'],
    [integerField, 0.5, 'is not a whole number. Send an integer.'],
    [booleanField, 'true', 'is a string. Send true or false.'],
    [objectField, [], 'is a list. Send an object.'],
    [listField, {}, 'is an object. Send a list.'],
    [requiredString, undefined, 'is missing. Send a string.'],
    [requiredString, null, 'is null. Send a string.'],
    [requiredObject, undefined, 'is missing. Send an object.'],
    [word, 'medium', 'is "medium", which is not supported. Allowed: "low", "high".'],
    [word, 5, 'is a number. Allowed: "low", "high".'],
    [someWord, undefined, 'is missing. Allowed: "low", "high".'],
  ])('that is wrong is named, with what was found and what to send: %o of %j', (read, value, message) => {
    expect(refusal(() => read({ key: value }, 'key', 'tools[0]'))).toEqual({
      param: 'tools[0].key',
      message: `tools[0].key ${message}`,
    })
    expect(refusal(() => read({ key: value }, 'key', ''))).toEqual({ param: 'key', message: `key ${message}` })
  })

  it('of a list is named by its index', () => {
    expect(refusal(() => stringsField({ stop: ['a', 5] }, 'stop', '')).param).toBe('stop[1]')
    expect(refusal(() => readObjects([{}, 'x'], 'messages', (item) => item))).toEqual({
      param: 'messages[1]',
      message: 'messages[1] is a string. Send an object.',
    })
    expect(readObjects([{ a: 1 }], 'messages', (item, at, index) => [item, at, index])).toEqual([
      [{ a: 1 }, 'messages[0]', 0],
    ])
  })

  it('that excludes another is refused together with it', () => {
    expect(
      refusal(() => {
        throw bothGiven('config', 'a', 'b')
      }),
    ).toEqual({ param: 'config.b', message: 'config has both a and b. Send one of them.' })
  })

  it('is not repeated at length', () => {
    expect(unknownWord('role', 'x'.repeat(1000), ['user']).message.length).toBeLessThan(120)
  })
})

describe('The model of a request', () => {
  it('is named by the body, else by the path', () => {
    expect(modelField({ model: 'a' }, { model: 'b' })).toBe('a')
    expect(modelField({ model: null }, { model: 'b' })).toBe('b')
    for (const body of [{}, { model: '' }])
      expect(refusal(() => modelField(body, {})).message).toBe('model is missing. Send the name of a model.')
  })
})
