import { describe, expect, it } from 'vitest'
import { diffOf } from '../../web/pages/playground/chat/text-diff.ts'

const words = (count: number, name: string) => Array.from({ length: count }, (_, nth) => `${name}${nth}`).join(' ')

describe('Two responses', () => {
  it('have their added and removed words marked, and lose no character', () => {
    const [first, second] = ['The sky is blue.\n\nSo is <b>the sea</b>.', 'The sky is red.\n\nSo is <b>the sea</b>!']
    const parts = diffOf(first, second) ?? []
    const without = (side: string) => parts.flatMap((part) => (part.in === side ? [] : [part.text])).join('')
    expect([without('second'), without('first')]).toEqual([first, second])
    expect(parts.filter((part) => part.in === 'first').map(({ text }) => text)).toContain('blue')
    expect(parts.filter((part) => part.in === 'second').map(({ text }) => text)).toContain('red')
  })

  it('that are equal have no differences', () => {
    expect(diffOf('Hello.', 'Hello.')).toEqual([{ text: 'Hello.', in: 'both' }])
    expect(diffOf('', '')).toEqual([])
  })

  it('that are too long or share too little are not compared, in bounded time', () => {
    expect(diffOf('x'.repeat(100_001), 'y')).toBeUndefined()
    const begun = performance.now()
    expect(diffOf(words(8_000, 'a'), words(8_000, 'b'))).toBeUndefined()
    expect(performance.now() - begun).toBeLessThan(5_000)
    const long = words(8_000, 'word')
    expect(diffOf(long, `${long} more`)?.at(-1)).toEqual({ text: ' more', in: 'second' })
  })
})
