import type { ModelCallFacts } from './model-call-facts.ts'
import type { Attribute, AttributeValue } from './span.ts'

/** Names of the attributes of model calls. */
export const DIALECTS = ['1.41', 'gen-ai-0.1', 'openinference'] as const

/** Conventions for the attributes of model calls. */
export type Dialect = (typeof DIALECTS)[number]

/** Type of an attribute in its registry. */
type AttributeType = 'string' | 'int' | 'double' | 'boolean' | 'string[]'

/** Attribute of model calls, with its name in each dialect. A dialect without a name leaves it out. */
export interface CallAttribute {
  readonly type: AttributeType
  readonly meaning: string
  readonly names: Readonly<Partial<Record<Dialect, string>>>
  /** Undefined: the span has no such attribute. */
  of(call: ModelCallFacts): AttributeValue | undefined
}

/** Schemas that the attributes of a dialect follow. */
export const SCHEMA_URLS: Readonly<Record<Dialect, string>> = {
  '1.41': 'https://opentelemetry.io/schemas/1.41.0',
  'gen-ai-0.1': 'https://opentelemetry.io/schemas/gen-ai/0.1.0',
  openinference: 'https://opentelemetry.io/schemas/1.41.0',
}

function both(name: string, openinference?: string): CallAttribute['names'] {
  return { '1.41': name, 'gen-ai-0.1': name, ...(openinference !== undefined && { openinference }) }
}

/** Kinds of OpenInference by family. */
const OPENINFERENCE_KINDS: Readonly<Record<string, string>> = {
  embeddings: 'EMBEDDING',
  rerank: 'RERANKER',
  search: 'RETRIEVER',
}

function double(value: number | undefined): AttributeValue | undefined {
  return value === undefined ? undefined : { double: value }
}

function sum(...parts: readonly (number | undefined)[]): number | undefined {
  let total = 0
  for (const part of parts) {
    if (part === undefined) return undefined
    total += part
  }
  return total
}

/**
 * Attributes of model calls. Token totals include their parts.
 * @see https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-spans.md
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 * @see https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
 */
export const CALL_ATTRIBUTES: readonly CallAttribute[] = [
  {
    type: 'string',
    meaning: 'Kind of the span.',
    names: { openinference: 'openinference.span.kind' },
    of: ({ family }) => OPENINFERENCE_KINDS[family] ?? 'LLM',
  },
  {
    type: 'string',
    meaning: 'Operation, such as `chat`.',
    names: both('gen_ai.operation.name'),
    of: ({ operation }) => operation,
  },
  {
    type: 'string',
    meaning: 'Provider, as the conventions name it.',
    names: both('gen_ai.provider.name', 'llm.provider'),
    of: ({ provider }) => provider,
  },
  {
    type: 'string',
    meaning: 'Model that was called.',
    names: both('gen_ai.request.model', 'llm.model_name'),
    of: ({ model }) => model,
  },
  {
    type: 'boolean',
    meaning: 'True for a stream; absent otherwise.',
    names: both('gen_ai.request.stream'),
    of: ({ isStream }) => isStream || undefined,
  },
  {
    type: 'string',
    meaning: 'Type of the output.',
    names: both('gen_ai.output.type'),
    of: ({ output }) => output,
  },
  {
    type: 'string[]',
    meaning: 'Reason for the end of the response.',
    names: both('gen_ai.response.finish_reasons'),
    of: ({ finish }) => (finish === undefined ? undefined : [finish]),
  },
  {
    type: 'double',
    meaning: 'Seconds until the first byte of the response.',
    names: both('gen_ai.response.time_to_first_chunk'),
    of: ({ firstChunk }) => double(firstChunk),
  },
  {
    type: 'int',
    meaning: 'Input tokens.',
    names: both('gen_ai.usage.input_tokens', 'llm.token_count.prompt'),
    of: ({ usage }) => usage?.input,
  },
  {
    type: 'int',
    meaning: 'Output tokens.',
    names: both('gen_ai.usage.output_tokens', 'llm.token_count.completion'),
    of: ({ usage }) => usage?.output,
  },
  {
    type: 'int',
    meaning: 'Input and output tokens.',
    names: { openinference: 'llm.token_count.total' },
    of: ({ usage }) => sum(usage?.input, usage?.output),
  },
  {
    type: 'int',
    meaning: 'Input tokens that were read from a cache.',
    names: both('gen_ai.usage.cache_read.input_tokens', 'llm.token_count.prompt_details.cache_read'),
    of: ({ usage }) => usage?.cacheRead,
  },
  {
    type: 'int',
    meaning: 'Input tokens that were written to a cache.',
    names: {
      '1.41': 'gen_ai.usage.cache_creation.input_tokens',
      'gen-ai-0.1': 'gen_ai.usage.cache_write.input_tokens',
      openinference: 'llm.token_count.prompt_details.cache_write',
    },
    of: ({ usage }) => usage?.cacheWrite,
  },
  {
    type: 'int',
    meaning: 'Output tokens of reasoning.',
    names: both('gen_ai.usage.reasoning.output_tokens', 'llm.token_count.completion_details.reasoning'),
    of: ({ usage }) => usage?.reasoning,
  },
  {
    type: 'int',
    meaning: 'Input tokens of sound.',
    names: {
      'gen-ai-0.1': 'gen_ai.usage.audio.input_tokens',
      openinference: 'llm.token_count.prompt_details.audio',
    },
    of: ({ usage }) => usage?.audioInput,
  },
  {
    type: 'int',
    meaning: 'Output tokens of sound.',
    names: {
      'gen-ai-0.1': 'gen_ai.usage.audio.output_tokens',
      openinference: 'llm.token_count.completion_details.audio',
    },
    of: ({ usage }) => usage?.audioOutput,
  },
  {
    type: 'int',
    meaning: 'Input tokens of images.',
    names: { 'gen-ai-0.1': 'gen_ai.usage.image.input_tokens' },
    of: ({ usage }) => usage?.imageInput,
  },
  {
    type: 'int',
    meaning: 'Output tokens of images.',
    names: { 'gen-ai-0.1': 'gen_ai.usage.image.output_tokens' },
    of: ({ usage }) => usage?.imageOutput,
  },
  {
    type: 'double',
    meaning: 'Cost in US dollars.',
    names: { openinference: 'llm.cost.total' },
    of: ({ cost }) => double(cost === undefined ? undefined : cost / 1e9),
  },
  {
    type: 'string',
    meaning: 'Conversation, if the caller named one.',
    names: both('gen_ai.conversation.id', 'session.id'),
    of: ({ session }) => session,
  },
  { type: 'string', meaning: 'End user.', names: both('user.id', 'user.id'), of: ({ user }) => user },
  {
    type: 'string',
    meaning: 'Host of the provider.',
    names: both('server.address'),
    of: ({ host }) => host,
  },
  { type: 'int', meaning: 'Port of the provider.', names: both('server.port'), of: ({ port }) => port },
  {
    type: 'string',
    meaning: 'Status, code or kind of the failure.',
    names: both('error.type', 'error.type'),
    of: ({ error }) => error,
  },
]

/** Attributes of a call in a dialect. */
export function callAttributes(call: ModelCallFacts, dialect: Dialect): Attribute[] {
  const attributes: Attribute[] = []
  for (const { names, of } of CALL_ATTRIBUTES) {
    const name = names[dialect]
    const value = name === undefined ? undefined : of(call)
    if (name !== undefined && value !== undefined) attributes.push([name, value])
  }
  return attributes
}
