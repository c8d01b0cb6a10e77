import type { HeadgateError } from '@headgate/core/errors'
import { since } from '../clock.ts'
import type { RecordedAttempt } from '../cost/charge.ts'
import { headerClaims } from '../edge/claims.ts'
import { headerOf, type Incoming } from '../edge/sink.ts'
import { scrub } from '../http/scrub.ts'
import { outcomeWithoutCalls } from '../ports/provider-faults.ts'
import type { RefusalRecord, RefusalSink } from '../ports/refusals.ts'
import type { Context } from './context.ts'
import { ANONYMOUS, type RequestIntake } from './intake.ts'

/** Maximum length of a message of a call, and of the sentence of a caller. */
const MAX_WORDS = 500
const MAX_MESSAGE = 2_000
const WITHOUT_CREDENTIAL = { credential: { kind: 'none' } } as const
const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

/** Notes the message of a failed call, until the request ends. */
export function noteWords(
  context: Pick<Context, 'words' | 'recordsWords'>,
  row: RecordedAttempt,
  error: unknown,
): void {
  if (!context.recordsWords || !(error instanceof Error) || row.failure === 'canceled') return
  context.words ??= []
  context.words.push({ row, text: error.message })
}

/**
 * Records the end of a request that has no usage row, and the messages of a request of which a call failed. Never
 * throws.
 */
export function recordEnd(sink: RefusalSink, arrival: RequestIntake, error: HeadgateError | undefined): void {
  const { context, principal } = arrival
  if (context?.row) {
    if (error || context.words) recordWords(sink, context, error)
    return
  }
  if (!error || context?.isDryRun || context?.once?.isReplay || principal === ANONYMOUS) return
  if (principal) sink.refused(refusalOf(arrival, principal.id, error))
  else {
    const { incoming, startedAt: at } = arrival
    const reason = error.kind === 'bad-key' && !hasCredential(incoming) ? 'no-key' : error.kind
    sink.unauthenticated({ address: incoming.address, reason, at })
  }
}

function hasCredential(incoming: Incoming): boolean {
  return CREDENTIAL_HEADERS.some((name) => headerOf(incoming, name) !== undefined)
}

function recordWords(
  sink: RefusalSink,
  { id, principal, startedAt, row, words }: Context,
  error?: HeadgateError,
): void {
  if (!row) return
  const isFailed = row.failure !== undefined && row.failure !== 'canceled'
  const message = isFailed ? (error?.message ?? words?.at(-1)?.text) : undefined
  if (message === undefined && !words) return
  const textOf = (attempt: object): string | undefined => {
    const text = words?.find((one) => one.row === attempt)?.text
    return text === undefined ? undefined : clean(text, MAX_WORDS)
  }
  sink.words({
    requestId: id,
    principal: principal.id,
    startedAt,
    message: message === undefined ? undefined : clean(message, MAX_MESSAGE),
    attempts: row.attempts.map(textOf),
  })
}

/** Message without anything that looks like a credential. */
function clean(text: string, most: number): string {
  return scrub(text, WITHOUT_CREDENTIAL).slice(0, most)
}

function refusalOf(arrival: RequestIntake, principal: string, error: HeadgateError): RefusalRecord {
  const { id, family, startedAt, begunAt, context, incoming, rowTrace, rowId } = arrival
  const { kind, status, message } = error
  const { asked, refusedBy } = context ?? {}
  const { endUser, session } = context ?? headerClaims(incoming)
  const isGone = context?.gone || kind === 'canceled'
  const isLimited = kind === 'over-budget' || kind === 'over-limit'
  return {
    requestId: id,
    principal,
    family: asked?.family ?? family ?? '',
    format: asked?.format ?? '',
    model: asked?.model ?? '',
    status: isGone ? 499 : status,
    outcome: isGone ? 'canceled' : outcomeWithoutCalls(kind),
    failure: kind,
    message,
    limit: isLimited ? refusedBy : undefined,
    tags: context?.tags,
    endUser,
    session,
    startedAt,
    durationMs: since(begunAt),
    id: rowId,
    trace: rowTrace,
  }
}
