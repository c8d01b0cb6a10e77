import { Sha256 } from '@aws-crypto/sha256-js'
import { CALLER_KEY, type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import { createGateway, type Gateway } from '@headgate/gateway'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bedrock } from '../src/index.ts'
import { codec } from './aws.ts'
import { keys, REGION, signatureBy } from './vendor.ts'

/** A message as AWS's own library frames it. */
function message(event: string, data: object, extra = {}): Uint8Array {
  const headers = {
    ':event-type': { type: 'string' as const, value: event },
    ':message-type': { type: 'string' as const, value: 'event' },
    ...extra,
  }
  return codec.encode({ headers, body: Buffer.from(JSON.stringify(data)) })
}

const events = [
  message(
    'messageStart',
    { role: 'assistant' },
    { flag: { type: 'boolean', value: true }, at: { type: 'timestamp', value: new Date(0) } },
  ),
  message(
    'contentBlockDelta',
    { contentBlockIndex: 0, delta: { text: 'Grüße ' } },
    { id: { type: 'binary', value: new Uint8Array([1, 2]) } },
  ),
  message('contentBlockDelta', { contentBlockIndex: 0, delta: { text: '🦊' } }, { n: { type: 'integer', value: 7 } }),
  message('contentBlockStop', { contentBlockIndex: 0 }),
  message('messageStop', { stopReason: 'end_turn' }),
  message('metadata', { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } }),
]

describe('Bedrock, by the libraries of AWS', () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [bedrock({ region: REGION, ...keys, baseUrl: upstream.origin })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function ask(body: object): Promise<string> {
    const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor: 'bedrock' }
    const answer = await gateway.fetch(
      new Request('http://localhost/v1/chat/completions', { method: 'POST', body: JSON.stringify(body), headers }),
    )
    return answer.text()
  }
  const messages = [{ role: 'user', content: 'Hello, wörld' }]

  it.each([
    'eu.amazon.nova-2-lite-v1:0',
    'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2',
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'openai.gpt-oss-20b-1:0',
  ])('signs a request for %s as @smithy/signature-v4 does', async (model) => {
    upstream.answer({ kind: 'whole', body: {} })
    await ask({ model, messages })
    const [sent] = upstream.received
    if (!sent) throw new Error('Nothing was sent.')
    expect(sent.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 /)
    expect(sent.headers['authorization']).toBe(await signatureBy(sent))
  })

  it('does not agree with a signature of other keys', async () => {
    upstream.answer({ kind: 'whole', body: {} })
    await ask({ model: 'amazon.nova-pro-v1:0', messages })
    const [sent] = upstream.received
    const other = new SignatureV4({
      service: 'bedrock',
      region: REGION,
      credentials: { ...keys, secretAccessKey: 'other' },
      sha256: Sha256,
      applyChecksum: false,
    })
    expect(sent && (await signatureBy(sent, other))).not.toBe(sent?.headers['authorization'])
  })

  it('reads what @smithy/eventstream-codec writes, with headers of every type', async () => {
    upstream.answer({
      kind: 'stream',
      pieces: events,
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    })
    const got = await ask({ model: 'amazon.nova-pro-v1:0', messages, stream: true })
    expect(got).toContain('"content":"Grüße "')
    expect(got).toContain('"content":"🦊"')
    expect(got).toContain('"finish_reason":"stop"')
  })

  it.each([
    ['of the message', (bytes: Uint8Array) => bytes.length - 1],
    ['of the prelude', () => 9],
    ['and the payload', (bytes: Uint8Array) => bytes.length - 8],
  ])('refuses, as the codec does, a frame whose checksum %s is wrong', async (_, place) => {
    const broken = events.map((bytes, index) => {
      if (index !== 2) return bytes
      const copy = Uint8Array.from(bytes)
      const at = place(copy)
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy
    })
    expect(() => codec.decode(broken[2] ?? new Uint8Array())).toThrow()
    upstream.answer({
      kind: 'stream',
      pieces: broken,
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    })
    const got = await ask({ model: 'amazon.nova-pro-v1:0', messages, stream: true })
    expect(got).not.toContain('🦊')
    expect(got).toContain('"error"')
  })
})
