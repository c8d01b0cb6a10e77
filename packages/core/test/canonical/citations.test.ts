import { describe, expect, it } from 'vitest'
import { blockFinder } from '../../src/canonical/citations.ts'

describe('A position in the text of an answer', () => {
  const placeOf = blockFinder(['', 'ab', '', 'cde', ''].map((text) => ({ text })))

  it.each([
    [0, { index: 1, start: 0 }],
    [1, { index: 1, start: 0 }],
    [2, { index: 3, start: 2 }],
    [4, { index: 3, start: 2 }],
    [5, undefined],
    [99, undefined],
  ])('%i lies in the block %j', (position, place) => {
    expect(placeOf(position)).toEqual(place)
  })

  it('lies nowhere where there is no text', () => {
    expect([blockFinder([])(0), blockFinder([{ text: '' }])(0)]).toEqual([undefined, undefined])
  })
})
