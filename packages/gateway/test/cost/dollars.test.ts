import { describe, expect, it } from 'vitest'
import { inDollars } from '../../src/cost/dollars.ts'

describe('Nano-dollars in dollars', () => {
  it.each([
    [0, '0'],
    [1, '0.000000001'],
    [420_000, '0.00042'],
    [1_000_000_000, '1'],
    [12_500_000_000, '12.5'],
    [Number.MAX_SAFE_INTEGER, '9007199.254740991'],
    [123_456_789_012_345_678_900n, '123456789012.3456789'],
  ])('of %s are %s, without an exponent', (nanos, dollars) => expect(inDollars(nanos)).toBe(dollars))
})
