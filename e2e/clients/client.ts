import type { KitFormat } from '../../packages/conformance/src/families/chat/meaning.ts'
import type { Packages } from '../installation.ts'

/** Tasks of a client. */
export const CHECKS = ['answer', 'stream', 'tool', 'object', 'embeddings', 'models'] as const
export type Check = (typeof CHECKS)[number]

/** Format of a client: a format of providers, or legacy completions. */
export type Spoken = KitFormat | 'completions'

/** Library that calls models. */
export interface Client {
  /** Unique name within its language, an argument of `pnpm e2e clients <name>`. */
  readonly name: string
  readonly format: Spoken
  /** The first package is the client. */
  readonly packages: Packages
  /** Variant of its script's use of the packages. */
  readonly variant?: string
}

/** Client that is installed for these tests. */
export interface ScriptedClient extends Client {
  /**
   * Script in `../python` (.py), `../javascript` (.mjs) or `../java` (.java). It prints the values that the library
   * returned.
   */
  readonly script: string
}

/** Client that the tests of the program already use. */
export interface WorkspaceClient extends Client {
  ask(trial: Trial): Promise<Outcomes>
}

/** Task for a client's script. */
export interface Trial {
  readonly url: string
  readonly apiKey: string
  readonly model: string
  /** Absent if the provider has no embeddings. */
  readonly embeddingModel?: string | undefined
  /** Package of the client, which selects the variant in a shared script. */
  readonly client: string
  readonly variant?: string | undefined
  readonly format: Spoken
  /** Question to answer with text. */
  readonly question: string
  /** Question to answer with a tool call, or with an object. */
  readonly task: string
  /** Inputs to embed. */
  readonly texts: readonly string[]
}

/** Outcome of a check: the value that the library returned, or its error. */
export type Outcome = { readonly value: unknown } | { readonly error: string }
export type Outcomes = Readonly<Partial<Record<Check, Outcome>>>

/** Entries of a client for both formats of OpenAI. */
export function eitherOfOpenAI({ name, ...rest }: Omit<ScriptedClient, 'format'>): readonly ScriptedClient[] {
  return (['chat-completions', 'responses'] as const).map((format) => ({ name: nameOf(name, format), format, ...rest }))
}

/** Name of a client's entry. The entry for chat completions has no suffix, because it is older. */
export function nameOf(name: string, format: Spoken): string {
  return format === 'responses' ? `${name} (responses)` : name
}
