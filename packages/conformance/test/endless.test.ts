import { type HttpRequest, next, signed } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { examine, examineSearchBackend } from '../src/index.ts'
import { type Deviation, example, factsOf } from './adapters.ts'
import { searchExample, searchFactsOf } from './search-backends.ts'

const again: HttpRequest = { method: 'GET', url: '/v1/models' }
/** Asks for one more request whatever was answered; the kit must not wait as long as that takes. */
const endless = (request = again) => next(request, 60_000)

describe('An exchange that asks for one more request without an end', () => {
  it.each<[string, number, RegExp, Deviation]>([
    ['models.response', 50, /^lists/, { provider: { models: { request: () => again, response: () => endless() } } }],
    [
      'lease.obtain.response',
      5,
      /^reaches/,
      {
        provider: {
          credential: signed({
            lease: {
              hosts: ['login.example'],
              obtain: {
                request: () => ({ method: 'POST', url: 'https://login.example/token' }),
                response: () => endless({ method: 'POST', url: 'https://login.example/token' }),
              },
              secrets: () => [],
            },
            sign: () => ({}),
          }),
        },
      },
    ],
  ])('is found as `%s`, with the limit', async (member, most, only, deviation) => {
    const facts = factsOf('chat-completions', {
      credential: { headers: [], isRight: () => true, secrets: [], issue: () => ({ isPending: true }) },
    })
    const found = await examine(example('chat-completions', deviation), facts, only)
    expect(found[0]?.message).toMatch(
      `\`${member}\` returned \`next\` for each of ${most} responses, but Headgate sends at most ${most} requests`,
    )
  })
  it('is found in a search backend', async () => {
    const backend = searchExample('offset', {
      response: () => endless({ method: 'GET', url: '/v1/search?q=more' }) as never,
    })
    const found = await examineSearchBackend(backend, searchFactsOf('offset'), /^sends requests as its vendor/)
    expect(found[0]?.message).toMatch('`search.response` returned `next` for each of 50 responses')
  })
})
