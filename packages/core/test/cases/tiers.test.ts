import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { readFrames } from '../../src/formats/sse.ts'
import { type TranslatedFormat, translateResponse, translateStream } from '../../src/translate.ts'
import { A, G, O } from './way.ts'

const R = 'responses'

/** Answers that report a tier of service, written from the vendors' documentation. */
const ANSWERS: Readonly<Record<string, (tier: string) => Json>> = {
  [O]: (tier) => ({
    id: 'c1',
    object: 'chat.completion',
    created: 7,
    model: 'm',
    service_tier: tier,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  }),
  [A]: (tier) => ({
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2, service_tier: tier },
  }),
  [G]: (tier) => ({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5, serviceTier: tier },
  }),
  [R]: (tier) => ({
    id: 'r1',
    object: 'response',
    status: 'completed',
    model: 'm',
    service_tier: tier,
    output: [
      {
        id: 'i1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
      },
    ],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  }),
}

const REQUESTS: Readonly<Record<string, (tier: string | undefined) => Json>> = {
  [O]: (tier) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    service_tier: tier,
    stream_options: { include_usage: true },
  }),
  [R]: (tier) => ({ model: 'm', input: 'Hi', service_tier: tier }),
}

/** The same answers as streams. */
function framesOf(from: TranslatedFormat, body: Json): string {
  const frame = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`
  if (from === G) return frame(body)
  if (from === R) return frame({ type: 'response.completed', sequence_number: 0, response: body })
  if (from === A)
    return [
      { type: 'message_start', message: { ...body, content: [], stop_reason: null } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: body['usage'] },
      { type: 'message_stop' },
    ]
      .map(frame)
      .join('')
  const { choices: _, usage, ...head } = body
  const chunk = { ...head, object: 'chat.completion.chunk' }
  const end = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }]
  return `${frame({ ...chunk, choices: end })}${frame({ ...chunk, choices: [], usage })}data: [DONE]\n\n`
}

async function streamed(
  from: TranslatedFormat,
  to: TranslatedFormat,
  body: Json,
  request: Json,
): Promise<{ events: Json[]; lost: string[] }> {
  async function* once(): AsyncGenerator<Uint8Array, void, void> {
    yield new TextEncoder().encode(framesOf(from, body))
  }
  const stream = translateStream(once(), { from, to, model: 'm', request })
  let out = ''
  for await (const chunk of stream) out += new TextDecoder().decode(chunk)
  const events = readFrames(out).flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data) as Json]))
  return { events, lost: stream.lost.map(({ path }) => path) }
}

describe('The tier of service', () => {
  it.each<[TranslatedFormat, string, string, string | undefined, string]>([
    [O, R, 'priority', undefined, 'priority'],
    [O, R, 'default', 'priority', 'default'],
    [O, R, 'flex', 'auto', 'flex'],
    [A, R, 'priority', undefined, 'priority'],
    [A, R, 'standard', 'auto', 'default'],
    [G, R, 'flex', 'flex', 'flex'],
    [G, R, 'standard', 'priority', 'default'],
    [R, O, 'priority', undefined, 'priority'],
    [R, O, 'default', 'flex', 'default'],
    [A, O, 'priority', undefined, 'priority'],
    [G, O, 'flex', 'flex', 'flex'],
  ] as [TranslatedFormat, TranslatedFormat, string, string | undefined, string][])(
    'that %s reports to a caller of %s as %s, asked for as %s, is %s',
    async (from, to, reported, asked, due) => {
      const [body, request] = [ANSWERS[from]?.(reported) ?? {}, REQUESTS[to]?.(asked) ?? {}]
      const whole = translateResponse(body, { from, to: to as TranslatedFormat, model: 'm', request })
      expect(whole.body['service_tier']).toBe(due)
      const { events, lost } = await streamed(from, to as TranslatedFormat, body, request)
      const last = events.at(-1) as Json
      expect((to === R ? (last['response'] as Json) : last)['service_tier']).toBe(due)
      expect([...whole.lost.map(({ path }) => path), ...lost].filter((path) => /tier/i.test(path))).toEqual([])
    },
  )

  it('is the one that was asked for while nothing is reported', async () => {
    const { service_tier: _, usage: __, ...silent } = ANSWERS[O]?.('') ?? {}
    const request = { model: 'm', input: 'Hi', service_tier: 'flex' }
    expect(translateResponse(silent, { from: O, to: R, model: 'm', request }).body['service_tier']).toBe('flex')
    const { events } = await streamed(O, R, ANSWERS[O]?.('default') ?? {}, request)
    expect([events[0], events.at(-1)]).toMatchObject([
      { response: { service_tier: 'flex' } },
      { response: { service_tier: 'default' } },
    ])
  })
})
