import { randomUUID } from 'node:crypto'
import type { ChatRequest, Format, Json, ModelFacts, ResponseStorage } from '@headgate/core/canonical'
import type { ParsedBody } from '../../edge/body.ts'
import type { Context } from '../../serve/context.ts'
import type { RoutingFields } from '../../serve/routing-request.ts'
import { type GatewayImages, type OfferedImages, offeredImages } from './image-tool/offered-images.ts'
import type { ConversationState } from './responses/conversation-state.ts'
import { type GatewaySearch, type OfferedSearch, offeredSearch } from './web-search/offered-search.ts'

/** State of one chat request. */
export interface ChatCall {
  readonly context: Context
  readonly format: Format
  readonly body: ParsedBody
  /** The caller's name for the model. */
  readonly model: string
  /** Routing fields of the caller's body, which {@link body} does not have; absent = none. */
  readonly fields?: RoutingFields | undefined
  /** The caller's fields `provider` and `session_id`, for upstreams that route by them; absent = none. */
  readonly preferences?: Json | undefined
  readonly stream: boolean
  /** Framing of the caller's stream. */
  readonly framing: 'sse' | 'json-array'
  /** Conversation state, in a format whose requests can name earlier responses. */
  readonly state?: ConversationState
  /** Slot for the response to store. */
  readonly slot?: StorageSlot
  /** The gateway's web search; present if the request may need it. */
  readonly gatewaySearch?: GatewaySearch
  /** The gateway's images; present if the request may need them. */
  readonly gatewayImages?: GatewayImages
  /** The gateway's form of the request's web search tool; undefined = none. */
  offered(): OfferedSearch | undefined
  /** The gateway's form of the image tool of a request; undefined = none. */
  offeredImages(request: ChatRequest, facts: ModelFacts | undefined): OfferedImages | undefined
  /** The canonical request. It is parsed once, when a candidate needs it. */
  canonical(): ChatRequest
}

/** A response to store. */
export interface StorageSlot extends ResponseStorage {
  answer: Json | undefined
  announced?: number
}

/** Creates a slot. Its id must be unguessable; request ids are not, because logs and usage contain them. */
function slotOf({ previous, background }: ConversationState, stored: boolean): StorageSlot {
  const slot: StorageSlot = {
    id: `resp_${randomUUID().replaceAll('-', '')}`,
    ...(previous !== undefined && { previous }),
    stored,
    background,
    answer: undefined,
    save(answer) {
      slot.answer = answer
    },
  }
  return slot
}

/** Creates the state of a request. `keepMs` is the storage time of responses; false = no storage. */
export function createChatCall(
  given: Omit<ChatCall, 'canonical' | 'slot' | 'offered' | 'offeredImages'>,
  keepMs: number | false = false,
): ChatCall {
  let request: ChatRequest | undefined
  let offered: { readonly search: OfferedSearch | undefined } | undefined
  const { state, format, body } = given
  const stored = keepMs !== false
  const chat: ChatCall = {
    ...given,
    ...(state?.keeps && { slot: slotOf(state, stored) }),
    canonical() {
      // If the gateway can store the response, the provider does not need to.
      const json = state && (stored || !state.keeps) ? { ...body.json, store: undefined } : body.json
      request ??= format.readRequest(json, { model: given.model, stream: given.stream })
      return request
    },
    offered() {
      offered ??= { search: offeredSearch(chat.canonical(), body.json['max_tool_calls']) }
      return offered.search
    },
    offeredImages: (request, facts) =>
      given.gatewayImages && offeredImages(given.context, request, given.gatewayImages, facts),
  }
  return chat
}
