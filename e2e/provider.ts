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
}

/** One of each format. */
export const PROVIDERS: readonly Provider[] = [
  { name: 'openai', format: 'chat-completions', model: 'gpt-5.4', embeddingModel: 'text-embedding-3-small', base: '/v1' },
  { name: 'anthropic', format: 'messages', model: 'claude-sonnet-4-6', base: '' },
  { name: 'google', format: 'generate-content', model: 'gemini-3.5-flash', embeddingModel: 'gemini-embedding-001', base: '' },
]
