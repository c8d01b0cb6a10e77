import { describe, expect, it } from 'vitest'
import { seal } from '../../src/canonical/envelope.ts'
import type { Json } from '../../src/canonical/json.ts'
import { formats } from '../../src/formats/index.ts'

const envelope = seal({ signer: 'acme', value: 'proof' })
const encoded = seal({ signer: 'acme', value: 'proof' }, undefined, 'base64')
const said = (fields: Json): Json => ({ max_tokens: 5, messages: [{ role: 'assistant', ...fields }] })
const thought = (signature: string): Json => said({ content: [{ type: 'thinking', thinking: 'Hm.', signature }] })
const part = (thoughtSignature: string): Json => ({
  contents: [{ role: 'model', parts: [{ text: 'Hm.', thoughtSignature }] }],
})

describe('A body of the provider’s own format', () => {
  it.each<[string, string, Json]>([
    ['messages', 'signed by another', thought(envelope)],
    ['messages', 'signed by nobody', thought('')],
    ['messages', 'encrypted by another', said({ content: [{ type: 'redacted_thinking', data: envelope }] })],
    ['generate-content', 'signed by another', part(encoded)],
    [
      'chat-completions',
      'signed by another',
      said({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: envelope }] }),
    ],
    [
      'chat-completions',
      'before a call that another signed',
      said({ tool_calls: [{ id: 'c', extra_content: { google: { thought_signature: envelope } } }] }),
    ],
  ])('of %s is written anew where it has thoughts %s (98, 113)', (format, _, body) => {
    expect(formats.get(format)?.normalize(body, { model: 'm', signer: 'own' })).toMatchObject({ rewrite: true })
  })

  it.each<[string, Json, string | undefined]>([
    ['messages', thought('c2lnbmVk'), 'own'],
    ['messages', thought(''), undefined],
    ['generate-content', part('c2lnbmVk'), 'own'],
    [
      'chat-completions',
      said({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }] }),
      undefined,
    ],
  ])('of %s passes where its signatures stand bare (115): %j, signer %s', (format, body, signer) => {
    expect(formats.get(format)?.normalize(body, { model: 'm', signer })).toEqual({ edits: [] })
  })
})
