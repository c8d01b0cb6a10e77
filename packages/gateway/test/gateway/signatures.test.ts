import { describe, expect, it } from 'vitest'
import { seal } from '../../../core/src/canonical/envelope.ts'
import type { ChatSupport } from '../../../core/src/provider.ts'
import { CHAT, chatAnswer, MESSAGES, messagesAnswer } from '../../../core/test/support/wire.ts'
import type { UsageRow } from '../../src/index.ts'
import { good, startOne } from '../support/fleet.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const SIGNED = 'U2lnbmVkIGJ5IGl0cyB2ZW5kb3I='
const google = { google: { thought_signature: SIGNED } }
const detail = (format: string, fields: object) => ({
  type: 'reasoning.text',
  text: 'Hm.',
  index: 0,
  format,
  ...fields,
})

/** The turn of a caller, as text with spaces and numbers that a rewriting would change. */
function bodyOf(fields: string): string {
  return `{ "model":"small", "temperature": 1.0,\n "messages":[{"role":"user","content":"Hello"},{"role":"assistant", "content":"Hi"${fields}},{"role":"user","content":"So?"}] }`
}

const call = (extra: string): string =>
  `, "tool_calls" : [{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\": 1.0}"}${extra}}]`

/** What stands bare in a body of chat completions: with it, without it, and where it stood. */
const BARE: readonly (readonly [string, string, string, string])[] = [
  [
    'of a call',
    call(`, "extra_content":${JSON.stringify(google)}`),
    call(''),
    'messages[*].tool_calls[*].extra_content.google.thought_signature',
  ],
  [
    'of a call, beside other things',
    call(`,"extra_content":{"google":{"thought_signature":"${SIGNED}","a":1},"b":2}`),
    call(',"extra_content":{"b":2,"google":{"a":1}}'),
    'messages[*].tool_calls[*].extra_content.google.thought_signature',
  ],
  [
    'of a text',
    `, "extra_content":${JSON.stringify(google)}, "name":"x"`,
    ', "name":"x"',
    'messages[*].extra_content.google.thought_signature',
  ],
  [
    'of thoughts',
    `,"thinking_blocks":[{"type":"thinking","thinking":"Hm.","signature":"${SIGNED}"},{"type":"redacted_thinking","data":"${SIGNED}"}]`,
    '',
    'messages[*].thinking_blocks[*]',
  ],
  [
    'of some thoughts',
    `,"thinking_blocks":[{"type":"thinking","thinking":"A"},{"type":"thinking","thinking":"Hm.","signature":"${SIGNED}"}]`,
    ',"thinking_blocks":[{"type":"thinking","thinking":"A"}]',
    'messages[*].thinking_blocks[*]',
  ],
  [
    'of thoughts that name their maker',
    `,"reasoning_details":${JSON.stringify([
      detail('anthropic-claude-v1', { signature: SIGNED }),
      { type: 'reasoning.encrypted', data: SIGNED, format: 'google-gemini-v1' },
      detail('unknown', { signature: SIGNED }),
    ])}`,
    `,"reasoning_details":${JSON.stringify([detail('anthropic-claude-v1', {}), detail('unknown', { signature: SIGNED })])}`,
    'messages[*].reasoning_details[*].signature, messages[*].reasoning_details[*]',
  ],
  [
    'of an image',
    `, "images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="},"extra_content":${JSON.stringify(google)}}]`,
    ', "images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]',
    'messages[*].images[*].extra_content.google.thought_signature',
  ],
]

describe('A signature', () => {
  const start = (support: Partial<ChatSupport>) =>
    startOne('node', () => ({ chat: [{ format: 'chat-completions', path: () => '/chat/completions', ...support }] }))
  const lossesOf = (row: UsageRow | undefined) => row?.losses.map(({ path, kind }) => `${path} ${kind}`)

  describe('that stands bare in a body of chat completions', () => {
    it.each(BARE)(
      '%s is cut out where the provider is known to be another, and nothing else is',
      async (_, signed, unsigned, lost) => {
        const { post, upstream, rows } = await start({ signer: 'acme' })
        const response = await post(CHAT, bodyOf(signed))
        expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, lost])
        expect(upstream.calls[0]?.body.toString()).toBe(bodyOf(unsigned))
        expect(rows[0]?.losses.every(({ reason }) => reason === 'only its signer can verify it')).toBe(true)
        const strict = await post(CHAT, bodyOf(signed), { headers: { 'headgate-strict': 'true' } })
        expect([strict.status, upstream.calls.length]).toEqual([400, 1])
      },
    )

    it.each(BARE)('%s passes where nobody knows who signs there', async (_, signed) => {
      const { post, upstream } = await start({})
      const response = await post(CHAT, bodyOf(signed))
      expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, null])
      expect(upstream.calls[0]?.body.toString()).toBe(bodyOf(signed))
    })

    it('passes to its own signer', async () => {
      const gemini = await start({ signer: 'gemini' })
      const [, ofCall = ''] = BARE[0] ?? []
      await gemini.post(CHAT, bodyOf(ofCall))
      expect(gemini.upstream.calls[0]?.body.toString()).toBe(bodyOf(ofCall))
      const claude = await start({ signer: 'claude' })
      const [, ofThoughts = ''] = BARE[3] ?? []
      await claude.post(CHAT, bodyOf(ofThoughts))
      expect(claude.upstream.calls[0]?.body.toString()).toBe(bodyOf(ofThoughts))
    })

    it('is left out as well where the body has to be written anew for other reasons', async () => {
      const { post, upstream } = await start({ signer: 'acme', drop: ['temperature'] })
      for (const [, signed] of BARE) await post(CHAT, bodyOf(signed))
      expect(upstream.calls.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual(
        BARE.map(([, , unsigned]) => {
          const { temperature: _, ...rest } = JSON.parse(bodyOf(unsigned)) as Record<string, unknown>
          return rest
        }),
      )
    })

    it('makes the provider come first that can read it', async () => {
      const upstream = await startUpstream(good)
      const provider = (name: string, signer: string) =>
        chatProvider(upstream.url, {
          name,
          chat: [{ format: 'chat-completions', path: () => '/chat/completions', signer }],
        })
      const { post } = await startGateway('node', {
        providers: [provider('alpha', 'acme'), provider('beta', 'gemini')],
      })
      const served = async (body: string) => (await post(CHAT, body)).headers.get('headgate-vendor')
      expect([await served(bodyOf('')), await served(bodyOf(BARE[0]?.[1] ?? ''))]).toEqual(['alpha', 'beta'])
    })
  })

  describe('in an envelope', () => {
    const OTHER = { signer: 'acme', value: 'proof of acme' }
    const text = seal(OTHER)
    const base64 = seal(OTHER, undefined, 'base64')
    const question = { role: 'user', content: 'So?' }
    const result = { role: 'tool', tool_call_id: 'c1', content: '1' }
    const calls = [
      {
        id: 'c1',
        type: 'function',
        function: { name: 'f', arguments: '{}' },
        extra_content: { google: { thought_signature: text } },
      },
    ]
    const thoughts = { type: 'thinking', thinking: 'Hm.', signature: text }
    const contents = (part: object) => ({ role: 'model', parts: [part] })
    const GENERATE = '/v1beta/models/small:generateContent'
    const generated = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }

    it.each<[string, ChatSupport['format'], string, object, object]>([
      [
        'a call of chat completions',
        'chat-completions',
        CHAT,
        { messages: [question, { role: 'assistant', tool_calls: calls }, result] },
        chatAnswer(),
      ],
      [
        'thoughts of chat completions',
        'chat-completions',
        CHAT,
        { messages: [question, { role: 'assistant', content: 'Hi', thinking_blocks: [thoughts] }, question] },
        chatAnswer(),
      ],
      [
        'details of chat completions',
        'chat-completions',
        CHAT,
        {
          messages: [
            question,
            { role: 'assistant', content: 'Hi', reasoning_details: [detail('x', { signature: text })] },
            question,
          ],
        },
        chatAnswer(),
      ],
      [
        'a text of chat completions',
        'chat-completions',
        CHAT,
        {
          messages: [
            question,
            { role: 'assistant', content: 'Hi', extra_content: { google: { thought_signature: text } } },
            question,
          ],
        },
        chatAnswer(),
      ],
      [
        'an image of chat completions',
        'chat-completions',
        CHAT,
        {
          messages: [
            question,
            {
              role: 'assistant',
              content: 'Hi',
              images: [
                {
                  type: 'image_url',
                  image_url: { url: 'https://example.com/a.png' },
                  extra_content: { google: { thought_signature: text } },
                },
              ],
            },
            question,
          ],
        },
        chatAnswer(),
      ],
      [
        'thoughts of messages',
        'messages',
        MESSAGES,
        {
          max_tokens: 9,
          messages: [question, { role: 'assistant', content: [thoughts, { type: 'text', text: 'Hi' }] }, question],
        },
        messagesAnswer(),
      ],
      [
        'hidden thoughts of messages',
        'messages',
        MESSAGES,
        {
          max_tokens: 9,
          messages: [
            question,
            {
              role: 'assistant',
              content: [
                { type: 'redacted_thinking', data: text },
                { type: 'text', text: 'Hi' },
              ],
            },
            question,
          ],
        },
        messagesAnswer(),
      ],
      [
        'a part of generateContent',
        'generate-content',
        GENERATE,
        { contents: [contents({ text: 'Hi', thoughtSignature: base64 })] },
        generated,
      ],
      [
        'a part in the other spelling',
        'generate-content',
        GENERATE,
        { contents: [contents({ text: 'Hi', thought_signature: base64 })] },
        generated,
      ],
      [
        'the only content of generateContent',
        'generate-content',
        GENERATE,
        { contents: contents({ text: 'Hi', thoughtSignature: base64 }) },
        generated,
      ],
    ])(
      'never passes to a provider of its format that is another, nor to one of which nothing is known: %s',
      async (_, format, path, body, answer) => {
        for (const signer of ['claude', 'gemini', 'own', undefined]) {
          const { post, upstream, rows } = await startOne(
            'node',
            () => ({ chat: [{ format, path: () => '/', ...(signer && { signer }) }] }),
            (one) => one.answer(200, answer),
          )
          const response = await post(path, { model: 'small', ...body })
          const sent = upstream.calls[0]?.body.toString() ?? ''
          expect([
            response.status,
            sent.includes('hg1'),
            sent.includes('aGcx'),
            sent.includes('proof of acme'),
          ]).toEqual([200, false, false, false])
          expect(lossesOf(rows[0])?.length).toBeGreaterThan(0)
        }
      },
    )

    it('of an image is opened for its signer', async () => {
      const { post, upstream } = await start({ signer: 'acme' })
      const images = [
        {
          type: 'image_url',
          image_url: { url: 'https://example.com/a.png' },
          extra_content: { google: { thought_signature: text } },
        },
      ]
      await post(CHAT, { model: 'small', messages: [question, { role: 'assistant', content: 'Hi', images }, question] })
      expect(upstream.calls[0]?.json()).toMatchObject({
        messages: [{}, { images: [{ extra_content: { google: { thought_signature: 'proof of acme' } } }] }, {}],
      })
    })

    it('is opened for its signer', async () => {
      const { post, upstream } = await start({ signer: 'acme' })
      await post(CHAT, { model: 'small', messages: [question, { role: 'assistant', tool_calls: calls }, result] })
      expect(upstream.calls[0]?.json()).toMatchObject({
        messages: [{}, { tool_calls: [{ extra_content: { google: { thought_signature: 'proof of acme' } } }] }, {}],
      })
    })
  })
})
