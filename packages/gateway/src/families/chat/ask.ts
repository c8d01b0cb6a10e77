import { randomUUID } from 'node:crypto'
import type { ChatRequest, Format, Json, KeptReply } from '@headgate/core/canonical'
import type { Body } from '../../edge/body.ts'
import type { Context } from '../../serve/context.ts'
import type { State } from './responses/state.ts'
import { type Offered, type OwnSearch, offeredIn } from './web-search/offered.ts'

/** What a caller asks of the chat family. */
export interface Ask {
  readonly context: Context
  readonly format: Format
  readonly body: Body
  /** As the caller named it. */
  readonly model: string
  readonly stream: boolean
  /** How the caller wants its stream framed. */
  readonly framing: 'sse' | 'json-array'
  /** What it has of earlier requests, in a format whose requests can name them. */
  readonly state?: State
  /** Where the answer is kept, once it is written. */
  readonly kept?: KeptSlot
  /** Present where the gateway can search the web for it, and may have to. */
  readonly ownSearch?: OwnSearch
  /** The web search that it offers, as the gateway answers it; undefined where it offers none. */
  offered(): Offered | undefined
  /** The request in canonical form; read once, when a candidate needs it. */
  canonical(): ChatRequest
}

/** An answer that is to be kept. */
export interface KeptSlot extends KeptReply {
  answer: Json | undefined
  announced?: number
}

/** An id that nobody can guess: request ids are in logs and in usage. */
function slotOf({ previous, background }: State, stored: boolean): KeptSlot {
  const slot: KeptSlot = {
    id: `resp_${randomUUID().replaceAll('-', '')}`,
    ...(previous !== undefined && { previous }),
    stored,
    background,
    answer: undefined,
    take(answer) {
      slot.answer = answer
    },
  }
  return slot
}

/** `keepMs`: how long answers are kept here. */
export function createAsk(given: Omit<Ask, 'canonical' | 'kept' | 'offered'>, keepMs: number | false = false): Ask {
  let request: ChatRequest | undefined
  let offered: { readonly search: Offered | undefined } | undefined
  const { state, format, body } = given
  const stored = keepMs !== false
  const ask: Ask = {
    ...given,
    ...(state?.keeps && { kept: slotOf(state, stored) }),
    canonical() {
      // Whether it is kept is for the gateway to see to, as far as it does.
      const json = state && (stored || !state.keeps) ? { ...body.json, store: undefined } : body.json
      request ??= format.readRequest(json, { model: given.model, stream: given.stream })
      return request
    },
    offered() {
      offered ??= { search: offeredIn(ask.canonical(), body.json['max_tool_calls']) }
      return offered.search
    },
  }
  return ask
}
