import type { Attribute, Span } from '../src/span.ts'

/** Rule of a receiver that classifies a span by its attributes. */
interface Rule {
  /** Attribute that the rule reads; undefined = the rule always applies. */
  readonly attribute: string | undefined
  /** Class by value in upper case; `*` = any value. */
  readonly classes: Readonly<Record<string, string>>
}

/**
 * Rules of Langfuse in their order, written from a summary of its source and of its documentation, not from a named
 * commit. The first rule with a known value decides. Any attribute that names a model makes a span a generation.
 * @see https://langfuse.com/integrations/native/opentelemetry
 */
export const LANGFUSE_RULES: readonly Rule[] = [
  {
    attribute: 'openinference.span.kind',
    classes: {
      LLM: 'GENERATION',
      EMBEDDING: 'EMBEDDING',
      RERANKER: 'RETRIEVER',
      RETRIEVER: 'RETRIEVER',
      TOOL: 'TOOL',
      CHAIN: 'CHAIN',
    },
  },
  {
    attribute: 'gen_ai.operation.name',
    classes: {
      CHAT: 'GENERATION',
      COMPLETION: 'GENERATION',
      TEXT_COMPLETION: 'GENERATION',
      GENERATE_CONTENT: 'GENERATION',
      GENERATE: 'GENERATION',
      EMBEDDINGS: 'EMBEDDING',
      EXECUTE_TOOL: 'TOOL',
    },
  },
  { attribute: 'gen_ai.tool.name', classes: { '*': 'TOOL' } },
  { attribute: 'gen_ai.request.model', classes: { '*': 'GENERATION' } },
  { attribute: 'gen_ai.response.model', classes: { '*': 'GENERATION' } },
  { attribute: 'llm.model_name', classes: { '*': 'GENERATION' } },
  { attribute: 'model', classes: { '*': 'GENERATION' } },
  { attribute: undefined, classes: { '*': 'SPAN' } },
]

/**
 * Rules of Phoenix: the kind of OpenInference, or else the operation, which it converts on arrival.
 * @see https://arize.com/docs/phoenix
 */
export const PHOENIX_RULES: readonly Rule[] = [
  {
    attribute: 'openinference.span.kind',
    classes: { LLM: 'LLM', EMBEDDING: 'EMBEDDING', RERANKER: 'RERANKER', RETRIEVER: 'RETRIEVER', TOOL: 'TOOL' },
  },
  {
    attribute: 'gen_ai.operation.name',
    classes: {
      CHAT: 'LLM',
      TEXT_COMPLETION: 'LLM',
      GENERATE_CONTENT: 'LLM',
      EMBEDDINGS: 'EMBEDDING',
      EXECUTE_TOOL: 'TOOL',
      RETRIEVAL: 'RETRIEVER',
    },
  },
  { attribute: undefined, classes: { '*': 'UNKNOWN' } },
]

/** Class of a span by the first rule that applies. */
export function classOf({ attributes }: Pick<Span, 'attributes'>, rules: readonly Rule[]): string | undefined {
  const values = new Map<string, Attribute[1]>(attributes)
  for (const { attribute, classes } of rules) {
    const value = attribute === undefined ? '' : values.get(attribute)
    if (value === undefined) continue
    const found = classes[String(value).toUpperCase()] ?? classes['*']
    if (found !== undefined) return found
  }
  return undefined
}
