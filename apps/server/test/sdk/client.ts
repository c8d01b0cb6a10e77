import { type AnswerMeaning, type KitFormat, type Scenario, scenarios, wires } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'

/** What a client is given. */
export interface Question {
  /** Address of the gateway. */
  readonly url: string
  readonly model: string
  readonly stream: boolean
}

/** A published SDK, with the base URL of the gateway in it and nothing else that is special. */
export interface Client {
  readonly name: string
  /** The format that it speaks. */
  readonly format: KitFormat
  readonly scenarios: readonly Scenario[]
  /** Asks a scenario, and tells what the SDK made of the answer. */
  ask(scenario: Scenario, question: Question): Promise<AnswerMeaning>
}

/** A vendor's own SDK, which is handed what stands in the body of its format. */
export interface VendorClient extends Client {
  /** The answer as the SDK puts it together. */
  send(body: Json, question: Question): Promise<object>
}

const { text, tools, parallelTools, toolResult, image, pdf, amended, structuredOutput, reasoning } = scenarios

/** What every client asks: one turn of a user. */
export const ONE_TURN = [text, tools, parallelTools, image, pdf, structuredOutput, reasoning] as const

export function vendorClient({ name, format, send }: Pick<VendorClient, 'name' | 'format' | 'send'>): VendorClient {
  return {
    name,
    format,
    scenarios: [...ONE_TURN, toolResult, amended],
    send,
    async ask({ requests }, question) {
      return wires[format].readAnswer(await send(requests[format], question)).meaning
    },
  }
}
