import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../src/service/token-estimate.ts'
import { startInProcess } from './in-process.ts'
import { temporaryFolder } from './temporary.ts'

/** Six tokens of the vocabulary o200k. */
const SENTENCE = 'A gateway speaks every format.'

describe('An estimate of tokens', () => {
  it('counts as a tokenizer does', async () => {
    expect(await estimateTokens('')).toBe(0)
    expect(await estimateTokens(SENTENCE)).toBe(6)
    expect(await estimateTokens(`${SENTENCE} `.repeat(1_000))).toBe(6_001)
  })

  it('takes words that mean something to a model as text', async () => {
    expect(await estimateTokens('<|endoftext|>')).toBe(7)
  })

  it('leaves other requests their turn, even where a text has no spaces', async () => {
    let turns = 0
    const other = setInterval(() => turns++, 1)
    expect(await estimateTokens('😀'.repeat(2_000_000))).toBe(2_000_000)
    clearInterval(other)
    expect(turns).toBeGreaterThan(0)
  })

  it('is what the program answers where the provider does not count', async () => {
    const folder = temporaryFolder()
    const { url } = await startInProcess({ folder, environment: { HEADGATE_API_KEYS: 'sk-local' } })
    const answer = await fetch(`${url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-local', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo/demo', messages: [{ role: 'user', content: SENTENCE }] }),
    })
    expect([answer.status, answer.headers.get('headgate-estimated'), await answer.json()]).toEqual([
      200,
      'true',
      { input_tokens: 8 },
    ])
  })
})
