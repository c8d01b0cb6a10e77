import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../core/src/canonical/json.ts'
import type { ChatSupport } from '../../../core/src/contract/chat.ts'
import { HeadgateError } from '../../../core/src/errors.ts'
import { formats } from '../../../core/src/formats/index.ts'
import { slowdown } from '../../../core/test/laws/cpu.ts'
import { both, REQUESTS } from '../../../core/test/laws/shapes/index.ts'
import { parseBody } from '../../src/edge/body.ts'
import { lostHeader } from '../../src/edge/lost.ts'
import { createChatCall } from '../../src/families/chat/chat-call.ts'
import { planFor } from '../../src/families/chat/plan.ts'
import type { Context } from '../../src/serve/context.ts'

interface Upstream {
  readonly name: string
  readonly model: string
  readonly support: Omit<ChatSupport, 'path'>
}

const UPSTREAMS: readonly Upstream[] = [
  { name: 'chat-completions', model: 'gpt-5.4', support: { format: 'chat-completions' } },
  {
    name: 'a server that deviates',
    model: 'x',
    support: {
      format: 'chat-completions',
      drop: ['user'],
      rename: { seed: 'random_seed' },
      facts: { documents: 'raw', plainSystem: true, reasoning: 'thinking_blocks' },
    },
  },
  { name: 'messages', model: 'claude-opus-5', support: { format: 'messages', signer: 'claude' } },
  { name: 'generate-content', model: 'gemini-3-flash', support: { format: 'generate-content', signer: 'gemini' } },
  { name: 'responses', model: 'gpt-5.4', support: { format: 'responses', signer: 'gpt' } },
  {
    name: 'an older generate-content',
    model: 'gemini-2.0-flash',
    support: { format: 'generate-content', signer: 'gemini' },
  },
]

/** What the gateway does with a body before it is sent. */
function plan(id: string, bytes: Buffer, { model, support }: Upstream): void {
  const format = formats.get(id)
  if (!format) throw new Error(`There is no format ${id}.`)
  const context = { id: 'req_1', principal: { id: 'key-1' }, incoming: { headers: {} } } as unknown as Context
  const chat = [{ ...support, path: () => '/' }]
  const provider = { name: 'p', claims: [], credential: { kind: 'none' as const }, chat }
  const endpoint = {
    name: '',
    provider,
    account: 'p',
    weight: 1,
    priority: 0,
    labels: {},
    models: undefined,
    limits: undefined,
  }
  const instance = {
    name: 'p',
    provider,
    endpoints: [endpoint],
    closed: undefined,
    known: new Map(),
    live: undefined,
    waiting: { count: 0 },
    mostWaiting: undefined,
    tracing: undefined,
  }
  try {
    const ask = createChatCall({ context, format, body: parseBody(bytes), model: 'm', stream: false, framing: 'sse' })
    lostHeader(
      planFor(ask, { instance, endpoint, model, facts: undefined, tier: 0, stage: 0, weight: 1, on: undefined }).losses,
    )
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
  }
}

const bytesOf = (body: Json): Buffer => Buffer.from(JSON.stringify(body))

/** Pieces of the smaller of two bodies; the larger has four times as many, which are up to some hundred kilobytes. */
const SIZE = 800

function slowIn(id: string, make: (size: number) => Json): string[] {
  const [small, large] = [bytesOf(make(SIZE)), bytesOf(make(4 * SIZE))]
  return UPSTREAMS.flatMap((upstream) => {
    const slow = slowdown(
      () => plan(id, small, upstream),
      () => plan(id, large, upstream),
      large.length / small.length,
    )
    return slow === undefined ? [] : [`to ${upstream.name}: ${slow}`]
  })
}

describe.each(Object.entries(REQUESTS))(
  'A body of %s costs no more CPU time than three times its share',
  (id, shapes) => {
    it.each(Object.entries(shapes))('with many or much of: %s', { tags: ['full'] }, (_, make) => {
      expect(slowIn(id, make)).toEqual([])
    })

    it('of any two shapes', () => {
      const shape = fc.constantFrom(...Object.entries(shapes))
      fc.assert(
        fc.property(shape, shape, ([, one], [, other]) => {
          expect(slowIn(id, (size) => both(one(size / 2), other(size / 2)))).toEqual([])
        }),
        { numRuns: 8 },
      )
    })
  },
)
