import type { FormatId } from '../../packages/conformance/src/families/chat/meaning.ts'
import type { Packages } from '../installation.ts'

/** What a client is asked to do. */
export const CHECKS = ['answer', 'stream', 'tool', 'object', 'embeddings', 'models'] as const
export type Check = (typeof CHECKS)[number]

/** Format of a client: one that providers have, or legacy completions. */
export type Spoken = FormatId | 'completions'

/** A library that asks models. */
export interface Client {
  /** One of its language: what `pnpm e2e clients <name>` takes. */
  readonly name: string
  readonly format: Spoken
  /** The first is the client's own. */
  readonly packages: Packages
  /** One of several ways in which a script uses the packages. */
  readonly variant?: string
}

/** One that is installed for this alone. */
export interface ScriptedClient extends Client {
  /**
   * In `../python` (.py), `../javascript` (.mjs) or `../java` (.java): it tells what the library made of the answers.
   */
  readonly script: string
}

/** One that the tests of the program have already. */
export interface WorkspaceClient extends Client {
  ask(trial: Trial): Promise<Outcomes>
}

/** What a client was asked, as its script gets it. */
export interface Trial {
  readonly url: string
  readonly apiKey: string
  readonly model: string
  /** Absent where the provider makes no embeddings. */
  readonly embeddingModel?: string | undefined
  /** The client's package, by which a script of several tells them apart. */
  readonly client: string
  readonly variant?: string | undefined
  readonly format: Spoken
  /** To be answered in words. */
  readonly question: string
  /** To be answered by way of a tool, or with an object. */
  readonly task: string
  /** To be embedded. */
  readonly texts: readonly string[]
}

/** What came of a check: the value as the library has it, or how it failed. */
export type Outcome = { readonly value: unknown } | { readonly error: string }
export type Outcomes = Readonly<Partial<Record<Check, Outcome>>>

/** A client of OpenAI's two formats, once for each. */
export function eitherOfOpenAI({ name, ...rest }: Omit<ScriptedClient, 'format'>): readonly ScriptedClient[] {
  return (['chat-completions', 'responses'] as const).map((format) => ({ name: nameOf(name, format), format, ...rest }))
}

/** What a client is called that has asked chat completions for longer than it knows the responses API. */
export function nameOf(name: string, format: Spoken): string {
  return format === 'responses' ? `${name} (responses)` : name
}
