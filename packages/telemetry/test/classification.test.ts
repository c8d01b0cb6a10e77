import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../src/dialects.ts'
import { spanOfRefusal, spansOfRow } from '../src/request-spans.ts'
import type { Span } from '../src/span.ts'
import { classOf, LANGFUSE_RULES, PHOENIX_RULES } from './receiver-rules.ts'
import { CASES, FORMATS, send } from './request-cases.ts'
import { attempt, usageRow } from './row.ts'

/** Names of the input tokens by dialect. */
const INPUT = ['gen_ai.usage.input_tokens', 'llm.token_count.prompt'] as const

function inputOf(spans: readonly Pick<Span, 'attributes'>[]): number {
  return spans
    .flatMap(({ attributes }) => attributes)
    .reduce((sum, [name, value]) => (INPUT.some((one) => one === name) ? sum + Number(value) : sum), 0)
}

describe.each(DIALECTS)('Receivers of the conventions %s', (dialect: Dialect) => {
  const options = { dialect, factsOf: () => ({}) }

  it.each(Object.keys(FORMATS))('see a generation in each call of a model, and in nothing else: %s', async (name) => {
    const format = FORMATS[name]
    if (!format) throw new Error('no format')
    for (const requestCase of CASES) {
      const { row, refusal } = await send(format, requestCase)
      const spans = row ? spansOfRow(row, options) : refusal ? [spanOfRefusal(refusal, options)] : []
      expect(spans.length).toBeGreaterThan(0)
      for (const span of spans) {
        const isModelCall = span.kind === 'client' && !span.name.startsWith('retrieval')
        const [langfuse, phoenix] = [classOf(span, LANGFUSE_RULES), classOf(span, PHOENIX_RULES)]
        expect([requestCase, span.name, langfuse === 'GENERATION', phoenix === 'LLM']).toEqual([
          requestCase,
          span.name,
          isModelCall,
          isModelCall,
        ])
      }
      // Only the served call has tokens, so that their sum is the row's.
      expect(inputOf(spans)).toBe(row?.usage?.input ?? 0)
    }
  })

  it('see an embedding in each call for embeddings', () => {
    const spans = spansOfRow(usageRow({ family: 'embeddings', format: 'embeddings' }), options)
    expect(spans.map((span) => classOf(span, LANGFUSE_RULES))).toEqual(['SPAN', 'EMBEDDING'])
    expect(spans.map((span) => classOf(span, PHOENIX_RULES))).toEqual(['UNKNOWN', 'EMBEDDING'])
  })

  it('count tokens once in the trace of a caller that records its model calls and links', () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const parent = `00-${traceId}-00f067aa0ba902b7-01`
    const own: Pick<Span, 'traceId' | 'attributes'> = {
      traceId,
      attributes: [
        ['gen_ai.operation.name', 'chat'],
        ['gen_ai.usage.input_tokens', 100],
      ],
    }
    const row = (isLinked: true | undefined) =>
      usageRow({ attempts: [attempt()], trace: { route: 'POST /v1/messages', parent, isLinked } })
    const inTrace = (isLinked: true | undefined) =>
      inputOf([own, ...spansOfRow(row(isLinked), options)].filter((span) => span.traceId === traceId))
    expect(inTrace(true)).toBe(100)
    // As a part of the caller's trace, they would count twice.
    expect(inTrace(undefined)).toBe(200)
  })
})
