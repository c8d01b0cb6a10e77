import { describe, expect, it } from 'vitest'
import { chatAnswer } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { RESPONSES, responsesAnswer, responsesRequest } from '../support/responses.ts'
import { startUpstream } from '../support/upstream.ts'

type Answer = { id: string } & Record<string, unknown>

/** Speaks both formats, and keeps nothing. */
const both = (url: string): ProviderInstance =>
  chatProvider(url, {
    chat: [
      { format: 'chat-completions', path: () => '/chat/completions' },
      { format: 'responses', path: () => '/responses', storesResponses: false },
    ],
  })

describe('A provider that speaks responses and keeps no answers', () => {
  it('is asked as it is where the answer is not to be kept; others are translated, and kept here', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(200, call.path.endsWith('/responses') ? responsesAnswer('native') : chatAnswer('translated')),
    )
    const gateway = await startGateway('node', { providers: [both(upstream.url)] })
    const answer = async (body: object) =>
      (await (await gateway.post(RESPONSES, { ...responsesRequest, ...body })).json()) as Answer
    const first = await answer({ input: 'turn 1' })
    expect(await (await gateway.call(`${RESPONSES}/${first.id}`, { method: 'GET' })).json()).toEqual(first)
    const next = await answer({ input: 'turn 3', previous_response_id: first.id })
    expect(upstream.calls.at(-1)?.json()['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ])
    expect(await answer({ input: 'turn 5', previous_response_id: next.id, store: false })).toEqual(
      responsesAnswer('native'),
    )
    expect(upstream.calls.map(({ path }) => path)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
      '/v1/responses',
    ])
    const { input, ...rest } = upstream.calls.at(-1)?.json() ?? {}
    expect(rest).toEqual({ model: 'small', store: false })
    expect(input).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ])
  })
})
