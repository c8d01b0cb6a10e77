import { errorReader } from '../../canonical/error-body.ts'
import type { Usage } from '../../canonical/usage.ts'
import { now } from '../../clock.ts'
import type { EmbeddingsRequest, Vector } from '../../contract/embeddings.ts'
import type { HttpResponse } from '../../contract/http.ts'
import { hopsOf } from '../../edge/hops.ts'
import { HeadgateError, reworded } from '../../errors.ts'
import { type ExchangeOptions, finishExchange } from '../../http/exchange.ts'
import type { UpstreamCall } from '../../http/upstream.ts'
import { unlessAborted } from '../../pipeline/abort.ts'
import type { Bound } from '../../pipeline/bound.ts'
import type { NotedAttempt } from '../../pipeline/charge.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { explain, failureOf } from '../../pipeline/failure.ts'
import { type CallNote, noted } from '../../pipeline/noted.ts'
import { wireOf } from '../../pipeline/trace.ts'
import { boundOfEmbeddings, boundOfInputs } from './bound.ts'
import { type Ask, checked, type Given, type Plan } from './plan.ts'

/** Parts of a batch that are asked for at the same time. */
const PARALLEL = 4

const readError = errorReader({ codes: [] })

/** A whole answer as the caller gets it. */
export interface Whole {
  readonly bytes: Uint8Array
  readonly given: Given
}

/** Says what a call costs that used so much. */
export type Spend = (row: NotedAttempt, usage: Usage | undefined) => void

/** Reserves what a call may cost. Rejects with HeadgateError where it may not be made. */
export type Reserve = (bound: Bound | undefined) => Promise<void>

/** What accounts for calls. */
export interface Accounts {
  readonly spend: Spend
  /** Absent where nothing bounds what is spent. */
  readonly reserve: Reserve | undefined
}

/** Asks for one part, with its attempt noted. `spend` hears of what it used, also where a later part fails. */
type Asker = <T extends Given>(bound: () => Bound | undefined, call: (options: Omit<ExchangeOptions, 'call'>) => Promise<T>) => Promise<T>

function askerOf(core: Core, context: Context, plan: Plan, signal: AbortSignal, { spend, reserve }: Accounts): Asker {
  const { instance, model } = plan.candidate
  /** Failures that say already whose they are. */
  const explained = new WeakSet<HeadgateError>()
  const check = (note: CallNote) => (answer: HttpResponse) => {
    const isFirst = note.row.status === undefined
    note.row.status = answer.status
    const error = failureOf(answer, { readError }, instance.provider)
    note.refused = isFirst && error !== undefined
    if (!error) return
    const said = explain(error, instance.name, model, instance.provider)
    explained.add(said)
    throw said
  }
  const asked: Asker = (_bound, call) =>
    noted(context, { provider: instance.name, model }, async (note) => {
      signal.throwIfAborted()
      const onCall = (begun: UpstreamCall): void => {
        note.call = begun
      }
      const mayRepeat = (): boolean => core.retries.mayAgain(instance.name, now())
      const hops = hopsOf(context.incoming)
      const given = await call({ limit: core.limits.answer, signal, hops, check: check(note), onCall, mayRepeat })
      spend(note.row, given.usage)
      return given
    }).catch((error: unknown) => {
      if (signal.aborted && HeadgateError.is(signal.reason)) throw signal.reason
      if (!HeadgateError.is(error)) throw new HeadgateError('upstream', `${instance.name}: it failed.`, { cause: error })
      throw explained.has(error) ? error : reworded(error, `${instance.name}: ${error.message}`)
    })
  return reserve ? (bound, call) => reserve(bound()).then(() => asked(bound, call)) : asked
}

/**
 * Runs over all parts, few at a time, in any order; gives what came of them in theirs. The first failure ends the rest, and counts once
 * all have ended: what they cost is known by then.
 */
async function inParallel<In, Out>(parts: readonly In[], abort: AbortController, run: (part: In) => Promise<Out>): Promise<Out[]> {
  const out: Out[] = []
  let at = 0
  let failure: { readonly error: unknown } | undefined
  const work = async (): Promise<void> => {
    while (at < parts.length && !failure) {
      const nth = at++
      try {
        out[nth] = await run(parts[nth] as In)
      } catch (error) {
        failure ??= { error }
        abort.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, parts.length) }, work))
  if (failure) throw failure.error
  return out
}

function total(usages: readonly (Usage | undefined)[]): Usage | undefined {
  let input = 0
  for (const usage of usages) {
    if (!usage) return undefined
    input += usage.input
  }
  return { input, output: 0 }
}

interface Part extends Given {
  readonly vectors: readonly Vector[]
}

/** Asks a candidate. Rejects with HeadgateError. */
export async function askCandidate(
  core: Core,
  context: Context,
  ask: Ask,
  plan: Plan,
  abort: AbortController,
  accounts: Accounts,
): Promise<Whole> {
  const asker = askerOf(core, context, plan, abort.signal, accounts)
  const { provider, name } = plan.candidate.instance
  const wire = wireOf(core, context, name, provider)
  if (plan.way === 'native') {
    const given = await asker(
      () => boundOfEmbeddings({ body: ask.body }),
      (options) => finishExchange(wire, provider, plan.request, plan.read, options),
    )
    return { bytes: given.bytes, given }
  }
  const partOf = (input: EmbeddingsRequest, answer: Parameters<typeof checked>[0]): Part => {
    const { vectors, usage, model } = checked(answer, input)
    return { vectors, usage, model }
  }
  const parts: Part[] =
    plan.way === 'local'
      ? await inParallel(plan.batches, abort, (input) =>
          asker(
            () => boundOfInputs(input.inputs),
            async () => partOf(input, await unlessAborted(plan.support.run(input, abort.signal, plan.call), abort.signal)),
          ),
        )
      : await inParallel(plan.batches, abort, ({ input, request }) =>
          asker(
            () => boundOfInputs(input.inputs),
            (options) =>
              finishExchange(
                wire,
                provider,
                request,
                (answer, earlier) => {
                  const out = plan.support.response(answer, input, earlier)
                  return 'vectors' in out ? partOf(input, out) : out
                },
                options,
              ),
          ),
        )
  const given = { usage: total(parts.map(({ usage }) => usage)), model: parts[0]?.model ?? plan.candidate.model }
  const body = ask.wire.write({ vectors: parts.flatMap(({ vectors }) => vectors), ...given }, ask.asked())
  return { bytes: Buffer.from(JSON.stringify(body)), given }
}
