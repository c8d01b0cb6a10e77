import { type AnswerMeaning, type FormatId, type Scenario, scenarios } from '@headgate/conformance'

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
  readonly format: FormatId
  readonly scenarios: readonly Scenario[]
  /** Asks a scenario, and tells what the SDK made of the answer. */
  ask(scenario: Scenario, question: Question): Promise<AnswerMeaning>
}

const { text, tools, parallelTools, toolResult, image, pdf, amended, structuredOutput, reasoning } = scenarios

/** What every client asks: one turn of a user. */
export const ONE_TURN = [text, tools, parallelTools, image, pdf, structuredOutput, reasoning] as const

/** What clients ask besides that are handed bodies of their format. */
export const WHOLE_BODIES = [...ONE_TURN, toolResult, amended] as const
