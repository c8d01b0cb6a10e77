import type { FormatId } from '../../packages/conformance/src/families/chat/meaning.ts'
import type { Packages } from '../installation.ts'

/** What a client is asked to do. */
export const CHECKS = ['answer', 'stream', 'tool', 'object', 'embeddings'] as const
export type Check = (typeof CHECKS)[number]

/** A library that asks models. */
export interface Client {
  /** One of its language: what `pnpm e2e clients <name>` takes. */
  readonly name: string
  readonly format: FormatId
  /** The first is the client's own. */
  readonly packages: Packages
}

/** One that is installed for this alone. */
export interface ScriptedClient extends Client {
  /** In `../python` (.py) or `../javascript` (.mjs): it tells what the library made of the answers. */
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
  readonly format: FormatId
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
export function nameOf(name: string, format: FormatId): string {
  return format === 'responses' ? `${name} (responses)` : name
}
