import { describe, expect, it } from 'vitest'
import { CHAT, chatFrames, chatRequest } from '../../../core/test/support/wire.ts'
import { connectTo, post } from '../support/connection.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** What a caller gets that sends so many bytes. */
async function answerTo(bytes: string) {
  const upstream = await startUpstream()
  const { port, access } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
  const caller = await connectTo(port)
  caller.socket.write(bytes)
  await caller.has(/"error"[\s\S]*\}$/)
  const [head = '', body = ''] = caller.text().split('\r\n\r\n')
  const record = await access.next()
  const id = /x-request-id: (req_[0-9a-f]{32})/.exec(head)?.[1]
  return { status: Number(head.slice(9, 12)), head, body: JSON.parse(body) as unknown, record, id }
}

describe('What is no request', () => {
  it.each<[string, string, number, object]>([
    [
      'that is no HTTP',
      'hello\r\n\r\n',
      400,
      {
        error: {
          message: 'The request is not valid HTTP/1.1.',
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      },
    ],
    [
      'with a header that is none',
      `POST /v1/messages HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n`,
      400,
      { type: 'error', error: { type: 'invalid_request_error' }, request_id: expect.stringMatching(/^req_/) },
    ],
    [
      'whose length is given twice',
      `POST /v1beta/models/small:generateContent HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n`,
      400,
      { error: { code: 400, status: 'INVALID_ARGUMENT' } },
    ],
    [
      'whose headers are too large',
      `POST ${CHAT} HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      { error: { type: 'invalid_request_error', code: 'request_too_large' } },
    ],
    [
      'that expects what is not known',
      post(CHAT, ['content-length: 2', 'expect: a-miracle']),
      417,
      { error: { message: 'The Expect header must be "100-continue".', param: 'expect' } },
    ],
    [
      'whose chunk is none',
      `${post(CHAT, ['transfer-encoding: chunked'])}zz\r\n`,
      400,
      { error: { message: 'The request is not valid HTTP/1.1.' } },
    ],
  ])('%s is answered in a caller’s shape, with an id that the log has', async (_, bytes, status, body) => {
    const answer = await answerTo(bytes)
    expect([answer.status, answer.body]).toMatchObject([status, body])
    expect(answer.head).toContain('content-type: application/json')
    expect(answer.id).toBeDefined()
    if (!bytes.endsWith('zz\r\n')) expect(answer.record).toMatchObject({ requestId: answer.id, status })
  })

  it('in the midst of an answer ends the connection, and is no answer in the answer', async () => {
    const upstream = await startUpstream()
    const { port, access } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const caller = await connectTo(port)
    const body = JSON.stringify({ ...chatRequest, stream: true })
    caller.socket.write(`${post(CHAT, [`content-length: ${body.length}`])}${body}`)
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(chatFrames().slice(0, 2).join(''))
    await caller.has(/Hi/)
    caller.socket.write('\0\0\0')
    await call.left
    expect((await caller.closed).text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(await access.next()).toMatchObject({ status: 499 })
  })

  it('has no credential twice: two are none', async () => {
    const { id, ...answer } = await answerTo(
      `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-api-key: sk-a\r\nx-api-key: sk-b\r\nx-request-id: mine\r\n\r\n`,
    )
    expect(answer.status).toBe(401)
    expect(answer.head).not.toContain('mine')
  })
})
