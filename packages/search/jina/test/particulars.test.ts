import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { jina } from '../src/index.ts'

const backend = jina({ apiKey: 'k' })
const { ask, read } = searchExchange(backend)

describe("Jina's search", () => {
  it('asks for the list alone, so that no page is read', () => {
    expect(ask().headers).toMatchObject({ accept: 'application/json', 'x-respond-with': 'no-content' })
  })

  it.each([
    ['en', 'en', []],
    ['he', 'iw', []],
    ['zh-TW', 'zh-tw', []],
    ['en-US', 'en', ['hl']],
    ['qq', undefined, ['hl']],
  ])('calls the language %s %s', (hl, name, changed) => {
    expect(ask({ hl }).query['hl']).toBe(name)
    expect(backend.changes?.({ q: 'x', limit: 1, offset: 0, page: 0, parameters: {}, hl })).toEqual(changed)
  })

  it('takes the start of the page where there is no description', () => {
    const data = [{ url: 'https://example.com', title: 'One', description: '', content: '# One\n\nText.' }]
    expect(read({ data }).items[0]?.snippet).toBe('# One Text.')
  })

  it('reads its refusal of words that find nothing as an answer', () => {
    const body = {
      code: 422,
      name: 'AssertionFailureError',
      status: 42206,
      message: 'No search results available for query x',
    }
    const answer = { status: 422, headers: {}, body, bytes: new Uint8Array() }
    expect(backend.readError?.(answer)).toBe(false)
    expect(read(body).items).toEqual([])
    expect(backend.readError?.({ ...answer, body: { message: 'num must be a number' } })).toBeUndefined()
  })

  it('has a base URL of its own, beside that of the provider', () => {
    expect(jina.env).toEqual({ apiKey: ['JINA_API_KEY'], baseUrl: ['JINA_SEARCH_BASE_URL'] })
  })
})
