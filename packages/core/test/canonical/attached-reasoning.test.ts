import { describe, expect, it } from 'vitest'
import { assemble, partsOf } from '../../src/canonical/assemble.ts'
import type { Block, ReasoningBlock, Signature, ToolCallBlock } from '../../src/canonical/block.ts'
import { unseal } from '../../src/canonical/envelope.ts'
import type { Format, Reply } from '../../src/canonical/format.ts'
import { isObject, type Json, objects } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import type { ChatResponse } from '../../src/canonical/response.ts'
import { chatCompletions } from '../../src/formats/chat-completions/index.ts'
import { generateContent } from '../../src/formats/generate-content/index.ts'

const signature: Signature = { signer: 'claude', value: 'cHJvb2Y=' }
const thought = (text: string, given: Partial<ReasoningBlock> = {}): ReasoningBlock => ({
  type: 'reasoning',
  text,
  signature,
  ...given,
})
const call = (id: string, given: Partial<ToolCallBlock> = {}): ToolCallBlock => ({
  type: 'tool-call',
  id,
  name: 'look',
  arguments: '{}',
  ...given,
})
const said = (text: string): Block => ({ type: 'text', text })

const reply: Reply = {
  id: 'req_1',
  model: 'm',
  request: { model: 'm', messages: [], stream: false, streamUsage: false, paths: {} },
}

function answerOf(blocks: Block[]): ChatResponse {
  return { id: 'a', model: 'm', choices: [{ blocks, finish: { reason: 'tool-calls' } }] }
}

/** A client of a format: the turn that it sends back of an answer. */
interface Client {
  readonly name: string
  readonly format: Format
  turn(answer: Json, keepsThoughts: boolean): Json
}

const CLIENTS: readonly Client[] = [
  {
    name: 'AI SDK, which keeps the text of thoughts',
    format: chatCompletions,
    turn(answer, keepsThoughts) {
      const { thinking_blocks, ...message } = Object(objects(answer['choices'])[0]?.['message'])
      return { model: 'm', messages: [{ ...message, ...(keepsThoughts && { thinking_blocks }) }] }
    },
  },
  {
    name: 'Gemini CLI, which keeps nothing of thoughts',
    format: generateContent,
    turn(answer, keepsThoughts) {
      const content = Object(objects(answer['candidates'])[0]?.['content'])
      return {
        contents: [{ ...content, parts: objects(content.parts).filter(({ thought }) => keepsThoughts || !thought) }],
      }
    },
  },
]

/** The blocks of an answer when they come back, without paths and without what only shows. */
function returned({ format, turn }: Client, blocks: Block[], keepsThoughts = false): Block[] {
  const body = format.writeResponse(answerOf(blocks), reply, [])
  const request = format.readRequest(turn(body, keepsThoughts), { model: 'm' })
  return request.messages.flatMap((message) => message.blocks).map(({ at: _, ...block }) => block as Block)
}

describe.each(CLIENTS)('The signed thoughts before a call, through a client like $name,', (client) => {
  it.each<[string, Block[]]>([
    ['one thought', [thought('Hm.'), said('I look.'), call('a')]],
    [
      'several, encrypted ones too',
      [thought('Hm.'), thought('', { redacted: true }), thought('Ah.'), call('a'), call('b')],
    ],
    ['a thought whose text was not told', [thought(''), call('a')]],
    ['thoughts between calls', [thought('Hm.'), call('a'), thought('Ah.'), call('b')]],
  ])('come back in their places: %s', (_, blocks) => {
    const signed = returned(client, blocks).filter((block) => block.type !== 'reasoning' || block.signature)
    const order = (list: readonly Block[]) => list.filter(({ type }) => type !== 'text')
    expect(order(signed)).toEqual(
      order(blocks).map((block) => (block.type === 'tool-call' ? { ...block, id: expect.any(String) } : block)),
    )
  })

  it('come back before what was said on the way to the call', () => {
    expect(returned(client, [thought('Hm.'), said('I look.'), call('a')]).map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'tool-call',
    ])
  })

  it('count once where the client sends them as well', () => {
    expect(returned(client, [thought('Hm.'), call('a')], true).map(({ type }) => type)).toEqual([
      'reasoning',
      'tool-call',
    ])
  })

  it('leave a signature of the call alone', () => {
    const own: Signature = { signer: 'gemini', value: 'b3du' }
    expect(returned(client, [thought('Hm.'), call('a', { signature: own })])).toContainEqual(
      expect.objectContaining({ signature: own }),
    )
  })

  it('are streamed as they stand in a whole answer', () => {
    const { format } = client
    const blocks = [thought('Hm.'), said('I look.'), call('a'), thought('Ah.'), call('b')]
    const losses: Loss[] = []
    const writer = format.writeStream({ ...reply, request: { ...reply.request, stream: true } }, losses)
    const text = [...partsOf(answerOf(blocks)).map((part) => writer.push(part)), writer.end()].join('')
    const sent = JSON.stringify(format.writeResponse(answerOf(blocks), reply, []))
    const carried = (source: string) =>
      [...source.matchAll(/"(?:thought_signature|thoughtSignature)":"([^"]+)"/g)]
        .map(([, value = '']) => unseal(value)?.value)
        .filter((value) => value?.startsWith('thoughts:'))
    expect(carried(text)).toEqual(carried(sent))
    expect(carried(text)).toHaveLength(2)
    expect(losses).toEqual([])
  })

  it('are no signature of the call to another gateway that reads the answer', () => {
    const { format } = client
    const body = format.writeResponse(answerOf([thought('Hm.'), call('a')]), reply, [])
    const calls = (read: ChatResponse) =>
      read.choices.flatMap(({ blocks }) => blocks).filter((block) => block.type === 'tool-call')
    expect(calls(format.readResponse(body)).map((block) => block.signature)).toEqual([undefined])
    const writer = format.writeStream({ ...reply, request: { ...reply.request, stream: true } }, [])
    const text = [
      ...partsOf(answerOf([thought('Hm.'), call('a')])).map((part) => writer.push(part)),
      writer.end(),
    ].join('')
    const reader = format.readStream()
    const frames = text
      .split(/\r?\n\r?\n/)
      .flatMap((frame) => (frame.startsWith('data: ') ? [{ data: frame.slice(6) }] : []))
    const parts = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end()]
    expect(calls(assemble(parts)).map((block) => block.signature)).toEqual([undefined])
  })

  it('are left out of a call when they are longer than an envelope may be', () => {
    const blocks = returned(client, [thought('x'.repeat(600_000)), call('a')])
    expect(blocks.filter((block) => block.type === 'reasoning' && block.signature)).toEqual([])
    expect(blocks.some((block) => block.type === 'tool-call')).toBe(true)
  })

  it.each([
    'thoughts:',
    'thoughts:{}',
    'thoughts:[["x"]]',
    'thoughts:[[1,2]]',
    'thoughts:[null]',
    'thoughts:[["x",""]]',
  ])('that nobody packed (%s) stay what they are: a signature that its signer refuses', (value) => {
    const blocks = returned(client, [call('a', { signature: { signer: 'claude', value } })])
    expect(blocks).toContainEqual(
      expect.objectContaining({ type: 'tool-call', signature: { signer: 'claude', value } }),
    )
    expect(blocks.every(isObject)).toBe(true)
  })
})
