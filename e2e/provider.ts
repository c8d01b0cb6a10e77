import type { KitFormat } from '../packages/conformance/src/families/chat/meaning.ts'

/** Provider of the program, simulated by a loopback upstream. */
export interface Provider {
  /** Name in the configuration: the id of its adapter. */
  readonly name: string
  readonly format: KitFormat
  /** Model with reasoning and tool calls. */
  readonly model: string
  /** Embedding model. Absent if the provider has none. */
  readonly embeddingModel?: string
  /** Prefix of its paths. */
  readonly base: string
  /** Further fields of its configuration. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Providers of each format. */
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

/** Vendor of the responses format with a model that only supports this format, for agents with other formats. */
export const RESPONSES_PROVIDER: Provider = { name: 'openai', format: 'responses', model: 'gpt-5.4-pro', base: '/v1' }

/** Server with chat completions and without search. */
export const SERVER_PROVIDER: Provider = {
  name: 'openai-compatible',
  format: 'chat-completions',
  model: 'small',
  base: '/v1',
  settings: { models: ['small'] },
}
