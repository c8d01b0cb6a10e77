import { randomUUID } from 'node:crypto'
import type { ChatRequest, Format, Json, KeptReply } from '@headgate/core/canonical'
import type { Body } from '../../edge/body.ts'
import type { Context } from '../../serve/context.ts'
import type { State } from './responses/state.ts'
import { type Offered, type OwnSearch, offeredIn } from './web-search/offered.ts'

/** State of one chat request. */
export interface Ask {
  readonly context: Context
  readonly format: Format
  readonly body: Body
  /** The caller's name for the model. */
  readonly model: string
  readonly stream: boolean
  /** Framing of the caller's stream. */
  readonly framing: 'sse' | 'json-array'
  /** Conversation state, in a format whose requests can name earlier responses. */
  readonly state?: State
  /** Slot for the response to store. */
  readonly kept?: KeptSlot
  /** The gateway's web search; present if the request may need it. */
  readonly ownSearch?: OwnSearch
  /** The gateway's form of the request's web search tool; undefined = none. */
  offered(): Offered | undefined
  /** The canonical request. It is parsed once, when a candidate needs it. */
  canonical(): ChatRequest
}

/** A response to store. */
export interface KeptSlot extends KeptReply {
  answer: Json | undefined
  announced?: number
}

/** Creates a slot. Its id must be unguessable; request ids are not, because logs and usage contain them. */
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

/** Creates the state of a request. `keepMs` is the storage time of responses; false = no storage. */
export function createAsk(given: Omit<Ask, 'canonical' | 'kept' | 'offered'>, keepMs: number | false = false): Ask {
  let request: ChatRequest | undefined
  let offered: { readonly search: Offered | undefined } | undefined
  const { state, format, body } = given
  const stored = keepMs !== false
  const ask: Ask = {
    ...given,
    ...(state?.keeps && { kept: slotOf(state, stored) }),
    canonical() {
      // If the gateway can store the response, the provider does not need to.
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
