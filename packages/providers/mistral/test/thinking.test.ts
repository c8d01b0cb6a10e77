import { testCall } from '@headgate/conformance'
import type { ChatSupport } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { mistral } from '../src/index.ts'

// Written from https://docs.mistral.ai/capabilities/reasoning
const content = [
  {
    type: 'thinking',
    thinking: [
      { type: 'text', text: 'Four, ' },
      { type: 'text', text: 'surely.' },
    ],
    closed: true,
  },
  { type: 'text', text: 'It is 4.' },
]

const [chat] = mistral({ apiKey: 'k' }).chat as readonly [ChatSupport]

describe('What Mistral thinks', () => {
  it('stands beside the text of an answer, and of a frame', () => {
    const plain = { role: 'assistant', content: 'It is 4.', reasoning_content: 'Four, surely.' }
    expect(
      chat.patchResponse?.({ choices: [{ index: 0, message: { role: 'assistant', content } }] }, testCall()),
    ).toEqual({
      choices: [{ index: 0, message: plain }],
    })
    const json = { choices: [{ index: 0, delta: { role: 'assistant', content } }] }
    expect(chat.patchFrame?.({ data: JSON.stringify(json), json }, testCall())).toEqual({
      choices: [{ index: 0, delta: plain }],
    })
  })

  it('goes back as a chunk of the content', () => {
    const messages = [{ role: 'assistant', content: 'It is 4.', reasoning_content: 'Four.' }]
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Four.' }] }
    expect(chat.patchRequest?.({ messages }, testCall())).toEqual({
      messages: [{ role: 'assistant', content: [thinking, { type: 'text', text: 'It is 4.' }] }],
    })
  })

  it('leaves an answer of plain text as it is', () => {
    const body = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] }
    expect(chat.patchResponse?.(body, testCall())).toBe(body)
  })
})
