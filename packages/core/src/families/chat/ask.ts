import type { Format } from '../../canonical/format.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Body } from '../../edge/body.ts'
import type { Context } from '../../pipeline/context.ts'

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
  /** The request in canonical form; read once, when a candidate needs it. */
  canonical(): ChatRequest
}

export function createAsk(given: Omit<Ask, 'canonical'>): Ask {
  let request: ChatRequest | undefined
  return {
    ...given,
    canonical() {
      request ??= given.format.readRequest(given.body.json, { model: given.model, stream: given.stream })
      return request
    },
  }
}
