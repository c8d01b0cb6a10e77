import { describe, expect, it } from 'vitest'
import { createInbox } from '../../../core/test/support/inbox.ts'
import { CHAT, chatAnswer, chatRequest, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import { type GatewayOptions, memoryBudgets, memoryRateLimits } from '../../src/index.ts'
import type { FailureWords, RefusalRecord, UnauthenticatedRefusal } from '../../src/ports.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

type Answer = (call: UpstreamCall) => void

async function start(options: Partial<GatewayOptions> = {}, answers: readonly Answer[] = [answered]) {
  const upstreams = await Promise.all(answers.map((answer) => startUpstream(answer)))
  const refused = createInbox<RefusalRecord>()
  const words = createInbox<FailureWords>()
  const unknown = createInbox<UnauthenticatedRefusal>()
  const served = await startGateway('node', {
    providers: upstreams.map(({ url }, index) => ({ provider: chatProvider(url), name: `up${index}` })),
    refusals: {
      refused: (refusal) => refused.push(refusal),
      words: (one) => words.push(one),
      unauthenticated: (one) => unknown.push(one),
    },
    ...options,
  })
  return { ...served, refused, words, unknown }
}

function answered(call: UpstreamCall): void {
  call.answer(200, chatAnswer())
}

function failing(status: number, error: object): Answer {
  return (call) => call.answer(status, { error })
}

const PROMPT = 'the secret plan of the caller'

describe('A refused request', () => {
  it('is recorded with the sentence of its caller, its model and its tags', async () => {
    const { post, refused, rows } = await start()
    const response = await post(
      CHAT,
      { ...chatRequest, model: 'unheard-of', user: 'ada' },
      {
        headers: { 'headgate-tags': 'team=a', 'x-session-id': 'session 7' },
      },
    )
    const { error } = (await response.json()) as { error: { message: string } }
    expect(await refused.next()).toEqual({
      requestId: response.headers.get('x-request-id'),
      principal: 'key-1',
      family: 'chat',
      format: 'chat-completions',
      model: 'unheard-of',
      status: 400,
      outcome: 'refused',
      failure: 'unknown-model',
      message: error.message,
      limit: undefined,
      tags: { team: 'a' },
      endUser: 'ada',
      session: 'session 7',
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
    })
    expect(rows).toEqual([])
  })

  it.each<[string, Partial<GatewayOptions>, unknown, Partial<RefusalRecord>]>([
    ['by a body that is not valid', {}, '{"model":', { failure: 'invalid-request', model: '', family: 'chat' }],
    [
      'by a field that is not valid',
      {},
      { ...chatRequest, stream: 'yes' },
      { failure: 'invalid-request', format: 'chat-completions' },
    ],
    [
      'by a rate limit',
      {
        rateLimits: memoryRateLimits(),
        authenticate: () => ({ id: 'key-1', limits: { tokensPerMinute: 1 } }),
      },
      chatRequest,
      { failure: 'over-limit', model: 'small', limit: { kind: 'rate-limit', id: 'key key-1' } },
    ],
    [
      'by a budget',
      {
        budgets: memoryBudgets({ budgets: [{ id: 'bud_1', owner: 'key-1', limit: 1n, period: 'day' }] }),
        prices: { 'up0/small': { id: 'p', input: 1_000_000, output: 1_000_000 } },
      },
      chatRequest,
      { failure: 'over-budget', model: 'small', limit: { kind: 'budget', id: 'bud_1' } },
    ],
  ])('%s says so', async (_, options, body, expected) => {
    const { post, refused } = await start(options)
    const response = await post(CHAT, body)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await refused.next()).toMatchObject({ outcome: 'refused', principal: 'key-1', ...expected })
  })

  it('by the rights of its key, before its body is read, says so', async () => {
    const { call, refused } = await start({
      authenticate: () => ({ id: 'key-1', families: ['search'] }),
    })
    expect((await call(CHAT, { method: 'POST', body: JSON.stringify(chatRequest) })).status).toBe(403)
    expect(await refused.next()).toMatchObject({ failure: 'forbidden', family: 'chat', model: '' })
  })

  it('of an unknown caller is counted by its address, without a record', async () => {
    const { call, unknown, refused } = await start()
    for (const [headers, reason] of [
      [{ authorization: 'Bearer sk-wrong' }, 'bad-key'],
      [{ authorization: '' }, 'no-key'],
    ] as const) {
      const response = await call(CHAT, { method: 'POST', headers, body: JSON.stringify(chatRequest) })
      expect(response.status).toBe(401)
      expect(await unknown.next()).toEqual({ address: '127.0.0.1', reason, at: expect.any(Number) })
    }
    expect(refused.all).toEqual([])
  })
})

describe('A failed call', () => {
  const busy = failing(503, { message: `Too busy for ${PROMPT} with sk-abcdefgh12345678`, code: 'slow_down' })

  it('has the code of its provider in the row, and its message outside of it', async () => {
    const { post, rows, words } = await start({}, [busy, answered])
    const response = await post(CHAT, chatRequest)
    expect(response.status).toBe(200)
    expect(rows[0]?.attempts).toMatchObject([{ failure: 'overloaded', code: 'slow_down' }, { failure: undefined }])
    expect(JSON.stringify(rows)).not.toContain(PROMPT)
    expect(await words.next()).toEqual({
      requestId: response.headers.get('x-request-id'),
      principal: 'key-1',
      startedAt: expect.any(Number),
      message: undefined,
      attempts: [expect.stringContaining(PROMPT), undefined],
    })
  })

  it('gives the sentence of the caller if it was the last, without credentials, at most 500 characters', async () => {
    const long = failing(400, { message: `sk-abcdefgh12345678 ${'x'.repeat(900)}`, type: 'invalid_request_error' })
    const { post, words, rows } = await start({}, [long])
    const { error } = (await (await post(MESSAGES, messagesRequest)).json()) as { error: { message: string } }
    const { message, attempts } = await words.next()
    expect(message).toBe(error.message)
    expect(attempts[0]).toHaveLength(500)
    expect(JSON.stringify([message, attempts])).not.toContain('sk-abcdefgh')
    expect(rows).toHaveLength(1)
  })

  it('leaves no messages if every call was served', async () => {
    const { post, words, access } = await start()
    await post(CHAT, chatRequest)
    await access.next()
    expect(words.all).toEqual([])
  })
})
