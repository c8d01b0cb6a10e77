import { describe, expect, it } from 'vitest'
import { pendingCalls } from '../../src/canonical/pending-calls.ts'

describe('A result without the id of its call', () => {
  it('answers the oldest call of its name', () => {
    const book = pendingCalls()
    for (const [name, id] of [
      ['f', 'a'],
      ['g', 'b'],
      ['f', 'c'],
    ] as const)
      book.add(name, id)
    expect([book.take('f'), book.take('f'), book.take('f'), book.take('g')]).toEqual(['a', 'c', undefined, 'b'])
  })

  it('answers the oldest of all where it has no name', () => {
    const book = pendingCalls()
    book.add('f', 'a')
    book.add('g', 'b')
    expect([book.take(undefined), book.take(undefined), book.take(undefined)]).toEqual(['a', 'b', undefined])
  })

  it('leaves out calls that were answered by their ids, in any order', () => {
    const book = pendingCalls()
    for (const id of ['a', 'b', 'c']) book.add('f', id)
    expect([book.take('f', 'b'), book.take('f', 'b'), book.take('f'), book.take('f')]).toEqual([
      'b',
      'a',
      'c',
      undefined,
    ])
  })
})
