import type { Part } from '@headgate/core/codec'
import type { Json } from '@headgate/core/provider'
import { type ChatSupport, signed } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { examine, type FormatFacts, type ProviderFacts } from '../src/index.ts'
import { type Deviation, example, factsOf, KEY, local } from './adapters.ts'

/** What the kit says of an adapter for a chat completions upstream with this deviation. */
async function findings(only: RegExp, deviation: Deviation, upstream: Partial<FormatFacts> = {}): Promise<string> {
  const found = await examine(example('chat-completions', deviation), factsOf('chat-completions', upstream), only)
  return found.map(({ message }) => message).join('\n')
}

const inThisProcess: ProviderFacts<Record<string, never>> = { config: {}, model: 'local' }

/** A few parts of an answer, then its end. */
function* somePieces(): Generator<Part> {
  yield { type: 'start' }
  yield { type: 'block-start', index: 0, block: { type: 'text', text: '' } }
  for (const text of ['a', 'b', 'c']) yield { type: 'block-delta', index: 0, delta: { text } }
  yield { type: 'block-end', index: 0 }
  yield { type: 'usage', usage: { input: 1, output: 3 } }
  yield { type: 'finish', finish: { reason: 'stop' } }
}

const TEXT = /^serves "text"/
const SAMPLING = /^serves "sampling"/
const TOOLS = /^serves "tools"/
const ERRORS = /^distinguishes the upstream's failures/
const BROKEN_STREAM = /^reports failures in the middle/
const SECRECY = /^keeps its key/

describe('An adapter fails the kit, which says what to fix, when it', () => {
  it('sends the credential in the wrong header', async () => {
    const credential = { kind: 'header', name: 'authorization', value: `Bearer ${KEY}` } as const
    expect(await findings(TEXT, { provider: { credential } })).toMatch(
      'expects the credential in the header `x-example-key`, but it is in the header `authorization`: `credential` must be',
    )
  })

  it('sends no credential, or another', async () => {
    const header = { kind: 'header', name: 'x-example-key', value: 'another' } as const
    expect(await findings(TEXT, { provider: { credential: { kind: 'none' } } })).toMatch(
      '`x-example-key`, but the request has none',
    )
    expect(await findings(TEXT, { provider: { credential: header } })).toMatch(
      '`x-example-key`, but its value is wrong',
    )
  })

  it('asks at the wrong path', async () => {
    expect(await findings(TEXT, { support: { path: () => '/chat/completions' } })).toMatch(
      'The adapter sent POST /chat/completions, but the upstream serves POST /v1/chat/completions: fix `path` of the chat support, or `baseUrl`',
    )
  })

  it('leaves out a header that the upstream wants', async () => {
    expect(await findings(TEXT, {}, { headers: { 'x-version': '2' } })).toMatch('requires the header `x-version: 2`')
  })

  it('takes the credential or the cookies of the caller up', async () => {
    const found = await findings(TEXT, { support: { forward: ['authorization', 'cookie'] } })
    expect(found).toMatch(
      "The caller's key was sent in the header `authorization`: `forward` must not name a header with a caller's credential.",
    )
    expect(found).toMatch('The header `cookie` was sent, but the upstream does not know it')
  })

  it('drops a field without declaring it', async () => {
    const patchRequest = ({ temperature, ...body }: Json): Json => body
    const found = await findings(SAMPLING, { support: { patchRequest } })
    expect(found).toMatch(
      "temperature is absent at the upstream, but the caller sent 0.5, and headgate-lost does not name it: declare it with `call.lose('temperature', …)`",
    )
    expect(found).toMatch('that the upstream rejects to `drop`')
    expect(await findings(SAMPLING, { support: { drop: ['temperature'] } })).toBe('')
  })

  it('drops tools, whether it declares them or not', async () => {
    expect(await findings(TOOLS, { support: { patchRequest: ({ tools, ...body }) => body } })).toMatch(
      'the upstream received the tools []',
    )
    expect(await findings(TOOLS, { support: { drop: ['tools'] } })).toMatch('the upstream received the tools []')
  })

  it('changes what the caller said', async () => {
    const patchRequest = (body: Json): Json => ({ ...body, messages: [{ role: 'user', content: 'Hello.' }] })
    expect(await findings(TEXT, { support: { patchRequest } })).toMatch(
      ', but the caller sent {"role":"user","text":"Wie heißt',
    )
  })

  it('sends what the upstream refuses, or leaves it out in silence', async () => {
    const only = /^drops fields that the upstream rejects/
    const patchRequest = ({ logit_bias, ...body }: Json): Json => body
    const refuses = { refuses: ['logit_bias'] }
    expect(await findings(only, {}, refuses)).toMatch(
      'The field `logit_bias` was sent, but the upstream rejects it: add it to `drop`',
    )
    expect(await findings(only, { support: { patchRequest } }, refuses)).toMatch(
      "headgate-lost does not name it: use `drop`, or declare it with `call.lose('logit_bias', …)`",
    )
    expect(await findings(only, { support: { drop: ['logit_bias'] } }, refuses)).toBe('')
  })

  it('leaves out any field by a patch without declaring it', async () => {
    const only = /^declares every field/
    const silent = ({ seed, metadata, ...body }: Json): Json => body
    expect((await findings(only, { support: { patchRequest: silent } })).split('\n')).toEqual([
      "The field `seed` was not sent, and headgate-lost does not name it: `patchRequest` must declare it with `call.lose('seed', …)`, or add it to `drop`.",
      expect.stringMatching('^The field `metadata` was not sent'),
    ])
    const honest: ChatSupport['patchRequest'] = ({ seed, metadata, ...body }, call) => {
      call.lose('seed', 'it can not be chosen')
      call.lose('metadata', 'nothing is kept')
      return body
    }
    expect(await findings(only, { support: { patchRequest: honest } })).toBe('')
    const moved = ({ seed, temperature, model, ...body }: Json): Json => ({
      ...body,
      sampling: { seed, heat: [temperature] },
    })
    expect(await findings(only, { support: { patchRequest: moved } })).toBe('')
    expect(await findings(only, { support: { drop: ['seed'] } })).toBe('')
  })

  it('leaves out a field within a group by a patch', async () => {
    const patchRequest = ({ generationConfig, ...body }: Json): Json => {
      const { topK, ...rest } = generationConfig as Json
      return { ...body, generationConfig: rest }
    }
    const wrong = example('generate-content', { support: { patchRequest } })
    const found = await examine(wrong, factsOf('generate-content'), /^declares every field/)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching('^The field `generationConfig.topK` was not sent'),
    ])
  })

  it('asks a host that is neither its base URL nor declared', async () => {
    const only = /^sends requests only/
    const path = () => 'https://elsewhere.example/v1/chat/completions'
    const models = {
      request: () => ({ method: 'GET', url: 'https://lists.example/models' }) as const,
      response: () => [],
    }
    expect(await findings(only, { support: { path }, provider: { models } })).toBe(
      [
        '`path` sends a request to elsewhere.example: return a path below `baseUrl`, or add the host to `hosts`.',
        '`models.request` sends a request to lists.example: return a path below `baseUrl`, or add the host to `hosts`.',
      ].join('\n'),
    )
    expect(await findings(only, { support: { path }, provider: { hosts: ['elsewhere.example'] } })).toBe('')
    const credential = signed({
      lease: {
        hosts: ['login.example'],
        obtain: {
          request: () => ({ method: 'POST', url: 'https://tokens.example' }),
          response: () => ({ expiresAt: new Date() }),
        },
        secrets: () => [],
      },
      sign: () => ({}),
    })
    expect(await findings(only, { provider: { credential } })).toMatch(
      '`lease.obtain.request` sends a request to tokens.example',
    )
  })

  it('does not get to its upstream, which is said once', async () => {
    const path = () => 'https://elsewhere.example/v1/chat/completions'
    const found = await examine(example('chat-completions', { support: { path } }), factsOf('chat-completions'))
    expect(found.map(({ check, message }) => [check, message])).toEqual([
      ['sends requests only to its base URL and to hosts that it declares', expect.any(String)],
      [
        'reaches its upstream with a readable request',
        expect.stringMatching(
          /^No request reached the upstream: status 500, .*The credential was not sent\. Fix `baseUrl`, `path`/,
        ),
      ],
    ])
    const silent = await examine(
      example('chat-completions', { support: { patchRequest: () => [] as unknown as Json } }),
      factsOf('chat-completions'),
    )
    expect(silent.map(({ message }) => message)).toEqual([
      expect.stringMatching('^The upstream received a body that is not a JSON object'),
    ])
  })

  it('breaks the answer', async () => {
    const patchResponse = (body: Json): Json => ({ ...body, usage: null })
    expect(await findings(TEXT, { support: { patchResponse } })).toMatch(
      'get a wrong response to "text", whole: the usage is absent, but the upstream sent {"input":18,"output":12}. Check `patchResponse`',
    )
  })

  it('breaks the stream', async () => {
    const withoutText = (chunk: Json): Json =>
      JSON.parse(JSON.stringify(chunk).replaceAll('"content":', '"reasoning_content":'))
    expect(await findings(TEXT, { support: { patchFrame: ({ json }) => withoutText(json) } })).toMatch(
      /get a wrong response to "text", streamed in one piece: the text is "", but the upstream sent "Auf Japanisch.*Check `patchFrame`/,
    )
    expect(await findings(TEXT, { support: { framing: 'ndjson' } })).toMatch(
      /streamed in one piece: status 500, .* instead of a stream/,
    )
  })

  it('throws where it should read an error: the kit prints what', async () => {
    const readError = ({ body }: { body: unknown }) => {
      const { error } = body as { error: { code: string } }
      return error.code === '' ? undefined : undefined
    }
    expect(await findings(ERRORS, { provider: { readError } })).toMatch(
      "`readError` threw TypeError: Cannot read properties of undefined (reading 'code'): fix it.",
    )
  })

  it('reads errors as something else', async () => {
    const readError = ({ status }: { status: number }) =>
      status >= 400 ? ({ kind: 'invalid-request', message: 'It failed.' } as const) : undefined
    const found = await findings(ERRORS, { provider: { readError } })
    expect(found).toMatch(
      'The upstream\'s failure "429" is "rate-limited", so callers get status 429; they got 400. Fix `readError`',
    )
    expect(found).toMatch(
      'The upstream\'s failure "500" is "upstream", so the gateway must call it 4 times; it was called once. Fix `readError`',
    )
  })

  it('swallows an error within the stream', async () => {
    const patchFrame = ({ json: { error, ...chunk } }: { json: Json }): Json =>
      error === undefined ? chunk : { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
    const found = await findings(BROKEN_STREAM, { support: { patchFrame } })
    expect(found).toMatch(
      'When the upstream sends an error within the stream, callers of messages get no error. Check `patchFrame`',
    )
  })

  it('puts its key into the URL', async () => {
    const path = () => `/v1/chat/completions?key=${KEY}`
    expect(await findings(TEXT, { support: { path } })).toMatch("The provider's key is in the query parameter `key`")
  })

  it('tells its key in an error or in a header', async () => {
    // Core takes out what signing put into the request, as it stands there.
    const encoded = Buffer.from(KEY).toString('base64')
    const credential = signed({ sign: () => ({ 'x-example-key': encoded }) })
    const readError = ({ status }: { status: number }) =>
      status >= 400 ? ({ kind: 'upstream', message: `The key ${KEY} failed.` } as const) : undefined
    expect(await findings(SECRECY, { provider: { credential, readError } })).toMatch("The provider's key was exposed")
    expect(await findings(SECRECY, { support: { responseHeaders: ['x-key'] } })).toMatch(
      /was exposed.*"x-key":"<the key>/,
    )
  })

  it('lets cookies of the upstream down', async () => {
    expect(await findings(/^forwards the caller's headers/, { support: { responseHeaders: ['set-cookie'] } })).toMatch(
      '`set-cookie` reached the caller',
    )
  })

  it('reads one page of several', async () => {
    const models = {
      request: () => ({ method: 'GET', url: '/v1/models' }) as const,
      response: ({ body }: { body: unknown }) => (body as { data: { id: string }[] }).data,
    }
    const found = await examine(example('messages', { provider: { models } }), factsOf('messages'), /^lists/)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(/-next of the upstream's list is missing.*every page/),
    ])
  })

  it('loses the signature of a thought', async () => {
    const withoutThoughts = (message: Json): Json => ({
      ...message,
      ...(Array.isArray(message['content']) && {
        content: message['content'].filter(({ type }: Json) => type !== 'thinking'),
      }),
    })
    const patchRequest = (body: Json): Json => ({
      ...body,
      messages: (body['messages'] as Json[]).map(withoutThoughts),
    })
    const wrong = example('messages', { support: { patchRequest } })
    const found = await examine(wrong, factsOf('messages'), /reasoning signatures from callers of chat-completions/)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(/In the signed reasoning.*Check `signer`/),
    ])
  })

  it('takes a config that it does not know, or keeps its own base URL', async () => {
    const right = example('chat-completions')
    const loose = Object.assign(
      (config: { apiKey: string }) => ({ ...right(config), baseUrl: 'http://127.0.0.1:9' }),
      right,
      {
        config: { safeParse: () => ({ success: true }) },
      },
    )
    const found = (await examine(loose, factsOf('chat-completions'), /^describes itself/))
      .map(({ message }) => message)
      .join('\n')
    expect(found).toMatch('use `z.strictObject`')
    expect(found).toMatch('`baseUrl` of the config is ignored')
  })
})

describe('A provider in this process fails the kit when it', () => {
  const stops = /^stops when the caller disconnects/

  it('answers to the end after the caller has left', async () => {
    const deaf = local(async function* () {
      yield* somePieces()
    })
    expect(await examine(deaf, inThisProcess, stops)).toEqual([
      { check: expect.any(String), message: expect.stringMatching('completes its answer after its signal aborts') },
    ])
  })

  it('breaks the grammar of parts', async () => {
    const disorderly = local(async function* () {
      yield { type: 'block-delta', index: 3, delta: { text: 'early' } }
      yield { type: 'start' }
    })
    const found = (await examine(disorderly, inThisProcess, /^sends parts in a valid order/)).map(
      ({ message }) => message,
    )
    expect(found).toEqual([
      'A block-delta is of block 3, which is not open.',
      'The stream must begin with exactly one `start`.',
      'Each choice must have exactly one `finish`.',
      'There is no `usage`.',
    ])
  })

  it('answers a stream with something else than the whole', async () => {
    let asked = 0
    const fickle = local(async function* () {
      asked += 1
      for (const part of somePieces())
        yield part.type === 'block-delta' ? { ...part, delta: { text: String(asked) } } : part
    })
    const found = await examine(fickle, inThisProcess, /"text" to callers of messages/)
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching('Streamed, the text is "222", but the whole response has "111"'),
    ])
  })
})
