import { describe, expect, it } from 'vitest'
import { isObject, type Json, next } from '../../../core/src/provider.ts'
import { CHAT, chatAnswer, chatRequest, messagesRequest } from '../../../core/test/support/wire.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const price = { id: 'list', input: 1_000_000_000, output: 2_000_000_000 }
/** Nano-dollars of 11 tokens in and 7 out. */
const COST = (11 * price.input + 7 * price.output) / 1_000_000

/** A gateway in front of a vendor that responds with a job; `state` answers requests for its state. */
async function start(
  state: (call: UpstreamCall) => void,
  created: (call: UpstreamCall) => void = (call) => call.answer(200, { job: 'j1' }),
) {
  const upstream = await startUpstream((call) => (call.method === 'POST' ? created(call) : state(call)))
  const provider = chatProvider(upstream.url, {
    known: [{ id: 'small', price }],
    chat: [
      {
        format: 'chat-completions',
        path: () => '/chat/completions',
        poll: ({ body }, _call, earlier) =>
          isObject(body) && body['answer']
            ? undefined
            : next({ method: 'GET', url: `/jobs/j1?nth=${earlier.length}` }, 1),
        patchResponse: (body: Json) => (isObject(body['answer']) ? body['answer'] : body),
      },
    ],
  })
  return { ...(await startGateway('node', { providers: [provider], times: { whole: 60_000 } })), upstream }
}

const done = (call: UpstreamCall): void =>
  call.answer(200, call.path.endsWith('nth=1') ? { answer: chatAnswer() } : { job: 'j1' })

describe('An upstream that responds with a job', () => {
  it.each([
    ['whole', CHAT, chatRequest, /"finish_reason":"stop"/],
    [
      'streamed',
      CHAT,
      { ...chatRequest, stream: true, stream_options: { include_usage: true } },
      /chat\.completion\.chunk[\s\S]*\[DONE\]/,
    ],
    ['streamed in another format', '/v1/messages', { ...messagesRequest, stream: true }, /message_stop/],
  ])('is asked until the job is done: %s', async (_, path, body, due) => {
    const { post, rows, upstream } = await start(done)
    const answer = await post(path, body)
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(due)])
    expect(upstream.calls.map(({ method, path }) => `${method} ${path.replace('/v1', '')}`)).toEqual([
      'POST /chat/completions',
      'GET /jobs/j1?nth=0',
      'GET /jobs/j1?nth=1',
    ])
    expect(upstream.calls[0]?.json()).not.toMatchObject({ stream: true })
    expect(upstream.calls[0]?.json()).not.toHaveProperty('stream_options')
    expect(rows).toMatchObject([{ status: 200, why: 'served', cost: COST, attempts: [{ cost: COST, status: 200 }] }])
  })

  it('may charge for a job whose state cannot be read, and does not for a request that it refuses', async () => {
    const failing = await start((call) => call.answer(404, { error: { message: 'gone' } }))
    expect((await failing.post(CHAT, chatRequest)).status).toBeGreaterThanOrEqual(400)
    expect(failing.rows.flatMap(({ attempts }) => attempts.map(({ cost }) => cost))).toEqual([null])
    const refusing = await start(done, (call) => call.answer(400, { error: { message: 'no' } }))
    expect((await refusing.post(CHAT, chatRequest)).status).toBe(400)
    expect(refusing.rows.flatMap(({ attempts }) => attempts.map(({ cost }) => cost))).toEqual([0])
  })

  it('is asked no more once the caller has left', async () => {
    const { post, rows, access, upstream } = await start(() => {})
    const leave = new AbortController()
    const answering = post(CHAT, { ...chatRequest, stream: true }, { signal: leave.signal })
    await upstream.next()
    const asked = await upstream.next()
    leave.abort()
    await expect(answering).rejects.toThrow('aborted')
    await asked.left
    expect(await access.next()).toMatchObject({ status: 499 })
    expect(rows).toMatchObject([{ status: 499, failure: 'canceled', attempts: [{ cost: null }] }])
    expect(upstream.calls).toHaveLength(2)
  })
})
