import type { FormatId } from '../packages/conformance/src/families/chat/meaning.ts'

/** A provider of the program, played by an upstream of this machine. */
export interface Provider {
  /** Its name in the configuration: the id of its adapter. */
  readonly name: string
  readonly format: FormatId
  /** One that thinks and calls tools. */
  readonly model: string
  /** One that embeds; absent where the provider has none. */
  readonly embeddingModel?: string
  /** Where its paths start. */
  readonly base: string
  /** What its configuration says besides. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** One of each format. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: 'openai',
    format: 'chat-completions',
    model: 'gpt-5.4',
    embeddingModel: 'text-embedding-3-small',
    base: '/v1',
    settings: { responses: false },
  },
  { name: 'anthropic', format: 'messages', model: 'claude-sonnet-4-6', base: '' },
  {
    name: 'google',
    format: 'generate-content',
    model: 'gemini-3.5-flash',
    embeddingModel: 'gemini-embedding-001',
    base: '',
  },
]

/** The vendor of the responses format, by a model that speaks nothing else: for agents of the others. */
export const RESPONSES_PROVIDER: Provider = { name: 'openai', format: 'responses', model: 'gpt-5.4-pro', base: '/v1' }

/** A server that speaks chat completions, and searches for no one. */
export const SERVER_PROVIDER: Provider = {
  name: 'openai-compatible',
  format: 'chat-completions',
  model: 'small',
  base: '/v1',
  settings: { models: ['small'] },
}
