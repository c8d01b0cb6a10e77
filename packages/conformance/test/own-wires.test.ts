import {
  type Credential,
  defineProvider,
  endpoint,
  type HttpRequest,
  type ProviderInstance,
  signed,
} from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examine, framings, type ProviderFacts, type SignatureFacts } from '../src/index.ts'
import { example, factsOf, KEY } from './adapters.ts'

const TOKEN = 'panther.of.the.example'

interface Token {
  readonly token: string
}

const CHANGES = {
  sign: (token: string) => ({ authorization: `Bearer ${token}` }),
  hosts: ['login.example.com'],
  lasting: 3_600_000,
}

/** A token that a host of its own gives. */
function leased({ sign, hosts, lasting } = CHANGES): Credential {
  return signed<Token>({
    lease: {
      hosts,
      obtain: {
        request: () => ({ method: 'POST', url: 'https://login.example.com/token', body: { json: { key: KEY } } }),
        response({ body }, _, { now }) {
          const { token } = body as { token?: string }
          if (token === undefined) throw new Error('There is no token.')
          return { token, expiresAt: new Date(now.getTime() + lasting) }
        },
      },
      secrets: ({ token }) => [token],
    },
    sign: (_, { token }) => sign(token),
  })
}

const signature: SignatureFacts = {
  headers: ['authorization'],
  isRight: ({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`,
  secrets: [TOKEN],
  issue({ body }) {
    if ((body as { key?: string }).key !== KEY) throw new Error('It is another key.')
    return { token: TOKEN }
  },
}

async function findings(changes: Partial<typeof CHANGES>, only: RegExp): Promise<string> {
  const adapter = example('chat-completions', { provider: { credential: leased({ ...CHANGES, ...changes }) } })
  const found = await examine(adapter, factsOf('chat-completions', { credential: signature }), only)
  return found.map(({ message }) => message).join('\n')
}

describe('A leased credential', () => {
  it('is obtained from the kit, whatever host gives it', async () => {
    expect(await findings({}, /"text"|"tools"|^(?!serves)/)).toBe('')
  })

  it('is obtained for whatever is asked', { tags: ['full'] }, async () => {
    expect(await findings({}, /./)).toBe('')
  })

  it('that the vendor does not take is found', async () => {
    expect(
      await findings({ sign: (token) => ({ authorization: token }) }, /^serves "text" to callers of chat/),
    ).toContain('rejects the signature: `sign` must cover')
    expect(
      await findings({ sign: () => ({}) as { authorization: string } }, /^serves "text" to callers of chat/),
    ).toContain('it has no `authorization`')
  })

  it('of a host that is not declared is found, and asked of nobody', async () => {
    expect(await findings({ hosts: [] }, /^sends requests only|^reaches/)).toContain(
      '`lease.obtain.request` sends a request to login.example.com',
    )
  })

  it('that is obtained for every request anew is found', async () => {
    expect(await findings({ lasting: 0 }, /^obtains/)).not.toBe('')
  })
})

describe('A path at a host that is declared', () => {
  it('leads to the kit, and one that is not is found', async () => {
    const elsewhere = { path: () => 'https://chat.example.net/v1/chat/completions' }
    const declared = example('chat-completions', { support: elsewhere, provider: { hosts: ['chat.example.net'] } })
    expect(await examine(declared, factsOf('chat-completions'), /^asks only|^reaches|"text"/)).toEqual([])
    const found = await examine(
      example('chat-completions', { support: elsewhere }),
      factsOf('chat-completions'),
      /^sends requests only/,
    )
    expect(found).toMatchObject([{ message: expect.stringContaining('`path` sends a request to chat.example.net') }])
  })
})

describe('A format of core in another framing', () => {
  it('is unwrapped by `patchFrame`', async () => {
    const wrapped = example('messages', {
      support: {
        framing: 'aws-event-stream',
        patchFrame: ({ json: { bytes } }) =>
          typeof bytes === 'string' ? JSON.parse(Buffer.from(bytes, 'base64').toString()) : undefined,
      },
    })
    const frame = {
      ...framings['aws-event-stream'],
      write: ({ data }: { data: unknown }) =>
        framings['aws-event-stream'].write({
          event: 'chunk',
          data: { bytes: Buffer.from(String(data)).toString('base64') },
        }),
    }
    expect(await examine(wrapped, factsOf('messages', { frame }), /"text"|"tools"|in the middle/)).toEqual([])
  })
})

/** Vectors of one number, the length of the text. */
function vectorsOf(changes: object) {
  const adapter = defineProvider(
    {
      id: 'vectors',
      title: 'Vectors',
      config: z.strictObject(endpoint('https://api.example.com')),
      env: { apiKey: ['VECTORS_API_KEY'] },
    },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: { kind: 'header', name: 'x-example-key', value: apiKey },
      embeddings: {
        batch: 5,
        request: ({ model, inputs, dimensions, use }, { lose }) => {
          if (use) lose('input_type', 'there is one kind')
          return { method: 'POST', url: '/embed', body: { json: { model, texts: inputs, length: dimensions } } }
        },
        response: ({ body }, { inputs }) => {
          const { vectors, tokens } = body as { vectors: number[][]; tokens: number }
          if (vectors.length !== inputs.length) throw new Error('There are not enough.')
          return { vectors, usage: { input: tokens, output: 0 } }
        },
        ...changes,
      } as NonNullable<ProviderInstance['embeddings']>,
    }),
  )
  const facts: ProviderFacts<{ apiKey: string }> = {
    config: { apiKey: KEY },
    upstream: { credential: { header: 'x-example-key', value: KEY } },
    embeddings: {
      model: 'vectors-1',
      path: '/embed',
      batch: 5,
      read({ body }) {
        const { texts, length } = body as { texts: string[]; length?: number }
        return { inputs: texts, dimensions: length }
      },
      write: ({ vectors, tokens }) => ({ vectors, tokens }),
    },
  }
  return async (only = /./) => (await examine(adapter, facts, only)).map(({ message }) => message).join('\n')
}

describe('Embeddings with a wire of their own', () => {
  it('pass without chat', async () => {
    expect(await vectorsOf({})()).toBe('')
  })

  it.each([
    [
      'answers in another order',
      /in order/,
      'is wrong',
      {
        response: ({ body }: { body: unknown }) => ({
          vectors: (body as { vectors: number[][] }).vectors.toReversed(),
        }),
      },
    ],
    [
      'asks for more at once than the vendor takes',
      /^splits inputs/,
      '`batch` must be the maximum number of inputs',
      { batch: 8 },
    ],
    [
      'leaves out dimensions in silence',
      /the options of callers/,
      'headgate-lost does not name it',
      {
        request: ({ inputs }: { inputs: unknown }): HttpRequest => ({
          method: 'POST',
          url: '/embed',
          body: { json: { texts: inputs } },
        }),
      },
    ],
    ['sends lists of tokens to a vendor of texts', /token lists/, 'does not accept token lists', { tokens: true }],
    [
      'asks at another path',
      /^reaches|in order/,
      'the upstream serves POST /embed',
      {
        request: ({ inputs }: { inputs: unknown }): HttpRequest => ({
          method: 'POST',
          url: '/vectors',
          body: { json: { texts: inputs } },
        }),
      },
    ],
  ])('that %s fail', async (_, only, message, changes) => {
    expect(await vectorsOf(changes)(only)).toContain(message)
  })

  it('that the test says nothing of are found', async () => {
    const adapter = example('chat-completions', { provider: { embeddings: { run: async () => ({ vectors: [] }) } } })
    expect(await examine(adapter, factsOf('chat-completions'), /^has exactly the families/)).toMatchObject([
      { message: expect.stringContaining('has `embeddings`, but the facts of the test do not describe it') },
    ])
  })
})
