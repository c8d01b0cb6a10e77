import { describe, expect, it } from 'vitest'
import { type SpanOptions, spanOfRefusal, spansOfRow } from '../src/request-spans.ts'
import type { Span } from '../src/span.ts'
import { CASES, FORMATS, type RequestCase, send } from './request-cases.ts'

const OPTIONS: SpanOptions = { dialect: '1.41', factsOf: () => ({}) }

/** Tree of spans: names, kinds and errors, with two spaces for each level. */
function treeOf(spans: readonly Span[]): string[] {
  const below = (parentId: string | undefined, indent: string): string[] =>
    spans
      .filter((one) => one.parentId === parentId)
      .flatMap((one) => {
        const error = one.attributes.find(([name]) => name === 'error.type')?.[1]
        const line = `${indent}${one.kind} ${one.name}${error === undefined ? '' : ` error=${String(error)}`}`
        return [line, ...below(one.spanId, `${indent}  `)]
      })
  return below(undefined, '')
}

/** Documented trees below the span of the server, by the way in which a request ends. */
const TREES: Readonly<Record<RequestCase, (operation: string) => readonly string[]>> = {
  unary: (operation) => [`  client ${operation} small`],
  stream: (operation) => [`  client ${operation} small`],
  failover: (operation) => [`  client ${operation} small error=429`, `  client ${operation} small`],
  search: (operation) => [
    `  client ${operation} small`,
    '  internal execute_tool web_search',
    '    client retrieval alpha',
    `  client ${operation} small`,
  ],
  canceled: (operation) => [`  client ${operation} small error=canceled`],
  refused: () => [],
}

describe.each(Object.entries(FORMATS))('The spans of a request of %s', (_, format) => {
  it.each(CASES)('form the documented tree: %s', async (requestCase) => {
    const { row, refusal, span } = await send(format, requestCase)
    const spans = refusal ? [spanOfRefusal(refusal, OPTIONS)] : row ? spansOfRow(row, OPTIONS) : []
    const route = requestCase === 'stream' ? format.route.replace(/:generate/, ':streamGenerate') : format.route
    const root = `server ${route}${requestCase === 'refused' ? ' error=unknown-model' : ''}`
    expect(treeOf(spans)).toEqual([root, ...TREES[requestCase](format.operation)])
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    // The access log names the span of the request.
    expect(span).toEqual({ traceId: spans[0]?.traceId, id: spans[0]?.spanId })
  })
})

describe('The span of a refused request', () => {
  it('has its reason, its caller and its place in the trace of the caller, and names no model', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const { refusal } = await send(FORMATS['chat-completions'] as (typeof FORMATS)[string], 'refused', {
      headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01`, 'headgate-tags': 'team=a', 'x-session-id': 's1' },
    })
    if (!refusal) throw new Error('no refusal')
    const span = spanOfRefusal(refusal, { ...OPTIONS, projectOf: () => 'project-1' })
    expect(span).toMatchObject({ traceId: trace, parentId: '00f067aa0ba902b7', kind: 'server', failure: undefined })
    expect(Object.fromEntries(span.attributes)).toMatchObject({
      'http.response.status_code': 400,
      'error.type': 'unknown-model',
      'headgate.key': 'key-1',
      'headgate.project': 'project-1',
      'headgate.model': 'unknown-model',
      'headgate.tags.team': 'a',
      'session.id': 's1',
    })
    expect(span.attributes.some(([name]) => name.startsWith('gen_ai.'))).toBe(false)
  })
})
