import type { AttemptRow, RefusalRecord, UsageRow } from '@headgate/gateway/ports'
import { childSpanId, spanIdOf, traceIdOf } from '@headgate/gateway/ports'
import { callAttributes, type Dialect } from './dialects.ts'
import { errorOf, modelCallFactsOf, type TracedProvider } from './model-call-facts.ts'
import type { Attribute, Span, SpanLink } from './span.ts'

/** Facts for spans that are not in their row. */
export interface SpanOptions {
  readonly dialect: Dialect
  /** Facts of a configured provider, by its name. */
  factsOf(provider: string): TracedProvider
  /** Project of a key, by the key's id. Default: unknown. */
  projectOf?(principal: string): string | undefined
}

/** Trace of a request. */
export interface TracePlace {
  readonly traceId: string
  readonly parentId: string | undefined
  readonly state: string | undefined
  readonly links: readonly SpanLink[]
}

/** Position and end of the span id in `traceparent`. */
const SPAN_ID = [36, 52] as const

/** Trace that a request belongs to: the caller's, or its own with or without a link to the caller's. */
export function tracePlaceOf(row: Pick<UsageRow, 'id' | 'trace'>): TracePlace {
  const { id, trace: { parent, state, isLinked } = {} } = row
  const traceId = traceIdOf(row)
  if (parent === undefined) return { traceId, parentId: undefined, state: undefined, links: [] }
  const spanId = parent.slice(...SPAN_ID)
  if (!isLinked) return { traceId, parentId: spanId, state, links: [] }
  const caller = traceIdOf({ id, trace: { route: '', parent } })
  return { traceId, parentId: undefined, state: undefined, links: [{ traceId: caller, spanId }] }
}

/** Index of the span of a tool call, above the indices of attempts. */
const TOOL_SPANS = 0x10000

/**
 * Spans of a request: one of the server, one of each call to a provider, and one around the calls of a search that the
 * gateway ran for a model. Only spans of calls name models and have usage, so that nothing counts tokens twice.
 */
export function spansOfRow(row: UsageRow, options: SpanOptions): Span[] {
  const place = tracePlaceOf(row)
  const root: Span = {
    traceId: place.traceId,
    spanId: spanIdOf(row.id),
    parentId: place.parentId,
    isParentRemote: place.parentId !== undefined,
    state: place.state,
    isSampled: true,
    name: row.trace?.route ?? row.family,
    kind: 'server',
    startedAt: row.startedAt,
    endedAt: row.startedAt + row.durationMs,
    attributes: rootAttributes(row, options),
    links: place.links,
    failure: row.failure,
  }
  const spans = [root]
  let tool: Span | undefined
  for (const [at, attempt] of row.attempts.entries()) {
    const isSearch = attempt.family === 'search' && row.family !== 'search'
    if (!isSearch) tool = undefined
    else if (tool) spans[spans.indexOf(tool)] = tool = longer(tool, attempt)
    else {
      tool = toolSpan(row, root, attempt, at)
      spans.push(tool)
    }
    spans.push(callSpan({ row, attempt, at, parent: tool ?? root, isSearch }, options))
  }
  return spans
}

function longer(tool: Span, { startedAt, durationMs }: AttemptRow): Span {
  return { ...tool, endedAt: Math.max(tool.endedAt, startedAt + durationMs) }
}

function toolSpan({ id }: UsageRow, root: Span, { startedAt, durationMs }: AttemptRow, at: number): Span {
  return {
    ...part(root),
    spanId: childSpanId(id, TOOL_SPANS + at),
    name: 'execute_tool web_search',
    kind: 'internal',
    startedAt,
    endedAt: startedAt + durationMs,
    attributes: [
      ['gen_ai.operation.name', 'execute_tool'],
      ['gen_ai.tool.name', 'web_search'],
      ['gen_ai.tool.type', 'function'],
    ],
  }
}

/** Members that all spans of a request share. */
function part({ traceId, spanId, state, isSampled }: Span) {
  return { traceId, parentId: spanId, isParentRemote: false, state, isSampled, links: [] } as const
}

interface CallSpanParts {
  readonly row: UsageRow
  readonly attempt: AttemptRow
  /** Index of the attempt. */
  readonly at: number
  readonly parent: Span
  readonly isSearch: boolean
}

function callSpan({ row, attempt, at, parent, isSearch }: CallSpanParts, { dialect, factsOf }: SpanOptions): Span {
  const { provider, model, startedAt, durationMs, failure } = attempt
  const isServed = failure === undefined && isLastCall(row, at) && !isSearch
  const call = modelCallFactsOf(row, attempt, factsOf(provider), isServed)
  return {
    ...part(parent),
    spanId: attempt.spanId ?? childSpanId(row.id, at),
    name: isSearch || row.family === 'search' ? `retrieval ${provider}` : `${call.operation} ${model}`,
    kind: 'client',
    startedAt,
    endedAt: startedAt + durationMs,
    attributes: [
      ...(isSearch || row.family === 'search' ? searchAttributes(attempt) : callAttributes(call, dialect)),
      ...ownAttributes(attempt, at),
    ],
    failure,
  }
}

/** True for the last attempt that is not a search. */
function isLastCall({ attempts, family }: UsageRow, at: number): boolean {
  return attempts.findLastIndex(({ family: own = family }) => own === family) === at
}

function searchAttributes(attempt: AttemptRow): Attribute[] {
  const error = errorOf(attempt)
  return [
    ['gen_ai.operation.name', 'retrieval'],
    ['gen_ai.data_source.id', attempt.provider],
    ...(error === undefined ? [] : ([['error.type', error]] as const)),
  ]
}

function ownAttributes({ provider, endpoint, cost, estimated, priceId }: AttemptRow, at: number): Attribute[] {
  return defined([
    ['headgate.attempt', at + 1],
    ['headgate.provider', provider],
    ['headgate.endpoint', endpoint],
    ['headgate.cost_nanodollars', cost ?? undefined],
    ['headgate.price_id', priceId ?? undefined],
    ['headgate.estimated', estimated || undefined],
  ])
}

/** Refused request with a record, as the store has it. */
export type RefusedRow = Omit<RefusalRecord, 'message' | 'id'> & { readonly id: string }

/** Span of a request that reached no provider. It names no model call, so that nothing is counted for it. */
export function spanOfRefusal(refusal: RefusedRow, { projectOf }: SpanOptions): Span {
  const { id, trace, status, failure, startedAt, durationMs, limit } = refusal
  const place = tracePlaceOf(refusal)
  return {
    traceId: place.traceId,
    spanId: spanIdOf(id),
    parentId: place.parentId,
    isParentRemote: place.parentId !== undefined,
    state: place.state,
    isSampled: true,
    name: trace?.route ?? refusal.family,
    kind: 'server',
    startedAt,
    endedAt: startedAt + durationMs,
    attributes: [
      ...defined([
        ...httpAttributes(refusal),
        ['error.type', failure],
        ['headgate.request_id', refusal.requestId],
        ...callerAttributes(refusal, projectOf),
        ['headgate.model', refusal.model || undefined],
        ['headgate.outcome', refusal.outcome],
        ['headgate.limit', limit && `${limit.kind} ${limit.id}`],
      ]),
      ...tagAttributes(refusal),
    ],
    links: place.links,
    // A refusal is the caller's error, which does not make the span of a server fail.
    failure: status >= 500 ? failure : undefined,
  }
}

type OptionalAttribute = readonly [name: string, value: Attribute[1] | undefined]

function rootAttributes(row: UsageRow, { projectOf }: SpanOptions): Attribute[] {
  return [
    ...defined([
      ...httpAttributes(row),
      ['error.type', row.status >= 500 ? String(row.status) : undefined],
      ['headgate.request_id', row.requestId],
      ['headgate.row_id', row.id],
      ...callerAttributes(row, projectOf),
      ['headgate.model', row.model],
      ['headgate.policy', row.policy],
      ['headgate.bypass', !row.translated],
      ['headgate.cost_nanodollars', row.cost ?? undefined],
      ['headgate.charged_nanodollars', row.charged ?? undefined],
      ['headgate.why', row.why],
      ['headgate.losses', row.losses.length > 0 ? row.losses.map(({ path }) => path) : undefined],
    ]),
    ...tagAttributes(row),
  ]
}

function httpAttributes({ trace, status }: Pick<UsageRow, 'trace' | 'status'>): OptionalAttribute[] {
  const [method, route] = (trace?.route ?? '').split(' ')
  return [
    ['http.request.method', method || undefined],
    ['http.route', route],
    ['http.response.status_code', status],
  ]
}

function callerAttributes(
  {
    principal,
    family,
    format,
    session,
    endUser,
  }: Pick<UsageRow, 'principal' | 'family' | 'format' | 'session' | 'endUser'>,
  projectOf: SpanOptions['projectOf'],
): OptionalAttribute[] {
  return [
    ['headgate.key', principal],
    ['headgate.project', projectOf?.(principal)],
    ['headgate.family', family || undefined],
    ['headgate.format', format || undefined],
    ['session.id', session],
    ['user.id', endUser],
  ]
}

function tagAttributes({ tags = {} }: Pick<UsageRow, 'tags'>): Attribute[] {
  return Object.entries(tags).map(([name, value]) => [`headgate.tags.${name}`, value])
}

function defined(entries: readonly OptionalAttribute[]): Attribute[] {
  return entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
}
