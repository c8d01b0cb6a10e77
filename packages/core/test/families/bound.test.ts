import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../src/canonical/target.ts'
import { parseBody } from '../../src/edge/body.ts'
import { families } from '../../src/families/index.ts'

/** The most that a request of a family can use. */
function bound(id: string, json: object, facts?: ModelFacts) {
  const body = parseBody(Buffer.from(JSON.stringify(json)))
  const family = families.find((one) => one.id === id)
  return { size: body.bytes.length, most: family?.bound?.({ body, facts }) }
}

const facts = { id: 'm', context: 50, output: 10 }

describe('The most that a request can use', () => {
  it('is for a conversation its bytes, or the context of the model, and the output that it or the model allows', () => {
    const { size, most } = bound('chat', { model: 'm', messages: [], max_tokens: 7 })
    expect(most).toEqual({ input: size, output: 7 })
    expect(bound('chat', { model: 'm', messages: ['x'.repeat(100)], max_completion_tokens: 99 }, facts).most).toEqual({
      input: 50,
      output: 10,
    })
    expect(bound('chat', { contents: [], generationConfig: { maxOutputTokens: 3, candidateCount: 2 } }).most).toMatchObject({ output: 6 })
    expect(bound('chat', { messages: [], n: 4 }, facts).most).toMatchObject({ output: 40 })
  })

  it('is not known where nothing limits the output', () => {
    expect(bound('chat', { model: 'm', messages: [] }).most).toBeUndefined()
  })

  it('is for vectors a token a byte, and one search for a search', () => {
    const { size, most } = bound('embeddings', { model: 'm', input: ['a', 'b'] })
    expect(most).toEqual({ input: size, output: 0 })
    expect(bound('search', {}).most).toEqual({ input: 0, output: 0, units: { searches: 1 } })
  })
})
