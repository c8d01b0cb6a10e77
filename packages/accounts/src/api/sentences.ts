import type { z } from '@hono/zod-openapi'

type SchemaIssue = z.core.$ZodIssue

/** Beginnings of the validator's own messages, which are for developers. Messages of our schemas begin otherwise. */
const DEFAULT = /^(?:Invalid|Too (?:small|big)|Unrecognized|Expected|Required)\b/

const TYPES: Readonly<Record<string, string>> = {
  string: 'Enter text.',
  number: 'Enter a number.',
  int: 'Enter a whole number.',
  boolean: 'Choose yes or no.',
  array: 'Enter a list.',
  object: 'Enter an object.',
}
const FORMATS: Readonly<Record<string, string>> = {
  email: 'Enter an email address, such as ada@example.com.',
  url: 'Enter a URL, such as https://example.com.',
}

/** Sentence for an invalid field, as a form shows it. The value is not repeated. */
export function issueSentence(issue: SchemaIssue): string {
  if (!DEFAULT.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'This field is required.'
      return TYPES[issue.expected] ?? 'This value has the wrong type.'
    case 'too_small':
      return sizeSentence(issue.origin, issue.minimum, 'least', issue.inclusive)
    case 'too_big':
      return sizeSentence(issue.origin, issue.maximum, 'most', issue.inclusive)
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'This value has the wrong format.'
    case 'invalid_value':
      return `Choose one of: ${issue.values.map(String).join(', ')}.`
    case 'not_multiple_of':
      return `Enter a multiple of ${issue.divisor}.`
    default:
      return 'This value is not allowed.'
  }
}

type Bound = number | bigint

function sizeSentence(origin: string, bound: Bound, side: 'least' | 'most', isInclusive = true): string {
  const number = bound.toLocaleString('en-US')
  const isOne = Number(bound) === 1
  if (origin === 'string') {
    if (side === 'least' && isOne) return 'This field cannot be empty.'
    return `Enter at ${side} ${number} ${isOne ? 'character' : 'characters'}.`
  }
  if (origin === 'array' || origin === 'set' || origin === 'map')
    return `Enter at ${side} ${number} ${isOne ? 'value' : 'values'}.`
  if (isInclusive) return `Enter a number of at ${side} ${number}.`
  return `Enter a number ${side === 'least' ? 'above' : 'below'} ${number}.`
}
