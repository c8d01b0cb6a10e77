import type { Part } from '@headgate/core/codec'
import { type Call, isObject, type Json } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { examine, FORMATS, testProvider } from '../src/index.ts'
import { example, factsOf, local } from './adapters.ts'

// What a test file of an adapter looks like, in full.
testProvider(example('chat-completions'), factsOf('chat-completions'))

describe('The conformance kit finds nothing to fix', () => {
  for (const id of FORMATS.filter((format) => format !== 'chat-completions')) {
    it(`in an adapter that speaks ${id} as its vendor documents it`, async () => {
      expect(await examine(example(id), factsOf(id), /"text"|"tools"|^(?!serves)/)).toEqual([])
    })

    it(`in whatever an adapter says that speaks ${id}`, { tags: ['full'] }, async () => {
      expect(await examine(example(id), factsOf(id))).toEqual([])
    })
  }

  it('in an adapter that declares what its upstream refuses, and reports no usage in streams', async () => {
    const drops = example('chat-completions', {
      support: { drop: ['top_p', 'stream_options'], rename: { max_completion_tokens: 'max_tokens' } },
    })
    const facts = factsOf('chat-completions', { refuses: ['top_p', 'max_completion_tokens'] })
    expect(await examine(drops, facts, /"sampling"|refuses/)).toEqual([])
  })

  it('in a provider that speaks a second format to callers of that one, and says where it does not', async () => {
    const both = (path: string) =>
      example('chat-completions', {
        provider: {
          chat: [
            { format: 'chat-completions', path: () => '/v1/chat/completions' },
            { format: 'messages', path: () => path },
          ],
        },
      })
    const facts = { ...factsOf('chat-completions'), also: [{ format: 'messages', path: '/v1/messages' } as const] }
    expect(await examine(both('/v1/messages'), facts, /"text"|arrive/)).toEqual([])
    expect(JSON.stringify(await examine(both('/messages'), facts, /"text"|arrive/))).toContain(
      'the upstream serves POST /v1/messages',
    )
  })

  it('in an adapter that sends no signed thoughts to an upstream that refuses them, and what is wrong in one that does', async () => {
    const patchRequest = (body: Json, call: Call): Json => {
      const items = Array.isArray(body['input']) ? body['input'] : []
      if (!items.some((item) => isObject(item) && item['encrypted_content'] !== undefined)) return body
      call.lose('input[*].encrypted_content', 'the upstream signs nothing')
      return {
        ...body,
        input: items.map((item) => (isObject(item) ? { ...item, encrypted_content: undefined } : item)),
      }
    }
    const facts = factsOf('responses', { lacks: ['signature'] })
    expect(await examine(example('responses', { support: { patchRequest } }), facts, /reasoning signature/)).toEqual([])
    expect(JSON.stringify(await examine(example('responses'), facts, /reasoning signature/))).toContain(
      'Check `signer`',
    )
  })

  it('in a provider that runs in this process', async () => {
    const polite = local(async function* (signal): AsyncGenerator<Part> {
      yield { type: 'start' }
      signal.throwIfAborted()
      yield { type: 'block-start', index: 0, block: { type: 'text', text: 'a' } }
      signal.throwIfAborted()
      yield { type: 'block-end', index: 0 }
      yield { type: 'usage', usage: { input: 1, output: 1 } }
      yield { type: 'finish', finish: { reason: 'stop' } }
    })
    expect(await examine(polite, { config: {}, model: 'local' })).toEqual([])
  })
})
