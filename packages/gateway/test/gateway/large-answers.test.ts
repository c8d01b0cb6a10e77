import { describe, expect, it } from 'vitest'
import { CHAT, chatAnswer, chatRequest, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import { chatProvider, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** Two megabytes, with everything that may be in a string. */
const LONG = `${'const a = "é\\n";\n\t// \u{1f600}'.repeat(100_000)}END`
const JSON_TYPE = { 'content-type': 'application/json' }

/** A response that is read in pieces, with usage after the long text. */
function large(content = LONG): string {
  const { choices, ...rest } = chatAnswer()
  const message = { role: 'assistant', content }
  return JSON.stringify({ ...rest, choices: [{ index: 0, message, finish_reason: 'length' }], usage: usage() })
}

const usage = () => ({ prompt_tokens: 7, completion_tokens: 500_000, total_tokens: 500_007 })

describe.each(SINKS)('A large response (%s)', (sink) => {
  it('reaches the caller byte by byte, and its row has usage and finish reason', async () => {
    const text = large()
    const upstream = await startUpstream((call) => call.answer(200, text, JSON_TYPE))
    const { post, rows } = await startGateway(sink, { providers: [chatProvider(upstream.url)] })
    const all = await Promise.all([post(CHAT, chatRequest), post(CHAT, chatRequest)])
    for (const response of all) {
      expect([response.status, response.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(text))])
      expect((await response.text()) === text).toBe(true)
    }
    const row = { status: 200, finish: 'length', usage: { input: 7, output: 500_000 } }
    expect(rows).toMatchObject([row, row])
  })

  it('is translated', async () => {
    const upstream = await startUpstream((call) => call.answer(200, large(), JSON_TYPE))
    const { post, rows } = await startGateway(sink, { providers: [chatProvider(upstream.url)] })
    const response = await post(MESSAGES, messagesRequest)
    const { content } = (await response.json()) as { content: { text: string }[] }
    expect(content[0]?.text === LONG).toBe(true)
    expect(rows).toMatchObject([{ status: 200, usage: { output: 500_000 } }])
  })

  it.each([
    ['has a control character in a long string', large().replace('END', '\u0001')],
    ['has an escape sequence that is none', large().replace('END', '\\x')],
    ['ends early', large().slice(0, -1)],
    ['is no object', `[${large()}]`],
    ['has no choice', JSON.stringify({ text: LONG })],
    ['is an error', JSON.stringify({ text: LONG, error: { message: 'overloaded', type: 'server_error' } })],
  ])('that %s is no answer: another provider is asked', async (_, text) => {
    const broken = await startUpstream((call) => call.answer(200, text, JSON_TYPE))
    const whole = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post, rows } = await startGateway(sink, {
      providers: [chatProvider(broken.url), chatProvider(whole.url, { name: 'beta' })],
    })
    const response = await post(CHAT, chatRequest)
    expect([response.status, response.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
    expect(await response.json()).toEqual(chatAnswer())
    expect(rows[0]?.attempts).toMatchObject([{ provider: 'alpha', failure: expect.any(String) }, { provider: 'beta' }])
  })

  it('that is an error keeps its status and message', async () => {
    const text = JSON.stringify({ error: { message: 'the prompt is too long', type: 'invalid_request_error' }, LONG })
    const upstream = await startUpstream((call) => call.answer(400, text, JSON_TYPE))
    const { post } = await startGateway(sink, { providers: [chatProvider(upstream.url)] })
    const response = await post(CHAT, chatRequest)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('the prompt is too long') } },
    ])
  })
})
