import type { Attempt, UsageOfRequest } from '../../api/usage.ts'
import { StatusChip } from '../../components/chip.tsx'
import { classes } from '../../components/classes.ts'
import { Part } from '../../components/page.tsx'
import { Money } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import { attemptBill, failureText } from './billing.ts'

/** The calls of upstreams on a time line, with the waits between them. */
export function Way({ row }: { readonly row: UsageOfRequest }) {
  const steps = wayOf(row)
  const length = lengthOf(row)
  if (steps.length === 0)
    return (
      <Part title="The way it took">
        <p className="text-muted">No call of an upstream is known of it.</p>
      </Part>
    )
  return (
    <Part title="The way it took">
      <ol className="flex flex-col gap-3">
        {steps.map((step) => (
          <li key={`${step.kind} ${step.from} ${step.to}`}>
            {step.kind === 'wait' ? (
              <p className="flex justify-between gap-2 text-muted">
                <span>waited</span>
                <span>{duration(step.to - step.from)}</span>
              </p>
            ) : (
              <Call step={step} />
            )}
            <Line step={step} length={length} firstByteMs={step === steps.at(-1) ? row.firstByteMs : null} />
          </li>
        ))}
      </ol>
      <p className="mt-2 flex justify-between text-small text-muted">
        <span>0</span>
        <span>
          {row.firstByteMs !== null && `first byte after ${duration(row.firstByteMs)}, `}
          ended after {duration(row.durationMs)}
        </span>
      </p>
    </Part>
  )
}

function Call({ step: { attempt, from, to } }: { readonly step: Extract<Step, { kind: 'attempt' }> }) {
  const { provider, model, status, failure, cost } = attempt
  const bill = attemptBill(attempt)
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-3">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="font-semibold">{provider}</span>
        {model !== provider && <span className="wrap-anywhere text-muted">{model}</span>}
        {status !== null && <StatusChip status={status} />}
        {status === null && failure !== null && <span className="text-muted">no answer</span>}
        {failure !== null && <span className="text-bad">{failureText(failure)}</span>}
      </p>
      <p className="text-small text-muted">
        {bill ?? <Money nanos={cost} />} · {duration(from)} – {duration(to)}
      </p>
    </div>
  )
}

interface LineProps {
  readonly step: Step
  readonly length: number
  readonly firstByteMs: number | null
}

/** Where it lies in the whole; the first byte is a mark on it. */
function Line({ step, length, firstByteMs }: LineProps) {
  const percent = (ms: number): string => `${(Math.min(ms, length) / length) * 100}%`
  const look =
    step.kind === 'wait' ? 'border border-dashed border-field' : step.attempt.failure !== null ? 'bg-bad' : 'bg-accent'
  return (
    <div aria-hidden className="relative mt-1 h-2.5 rounded-full bg-sunken">
      <div
        className={classes('absolute inset-y-0 min-w-1 rounded-full', look)}
        style={{ left: percent(step.from), width: percent(step.to - step.from) }}
      />
      {firstByteMs !== null && (
        <div className="absolute -inset-y-0.5 w-0.5 bg-text" style={{ left: percent(firstByteMs) }} />
      )}
    </div>
  )
}

/**
 * A part of the way that a request took: a call of an upstream, or a wait before the next. Milliseconds from its
 * beginning.
 */
export type Step =
  | { readonly kind: 'attempt'; readonly from: number; readonly to: number; readonly attempt: Attempt }
  | { readonly kind: 'wait'; readonly from: number; readonly to: number }

/** What is shorter is the gateway's own doing, and no wait. */
const WAIT = 20

type Way = Pick<UsageOfRequest, 'at' | 'durationMs' | 'attempts'>

/** The way that a request took, in its order. */
export function wayOf({ at, attempts = [] }: Way): readonly Step[] {
  return attempts.flatMap((attempt, index): Step[] => {
    const from = Math.max(0, attempt.startedAt - at)
    const before = attempts[index - 1]
    const since = before ? Math.max(0, before.startedAt + before.durationMs - at) : from
    const step: Step = { kind: 'attempt', from, to: from + attempt.durationMs, attempt }
    return from - since >= WAIT ? [{ kind: 'wait', from: since, to: from }, step] : [step]
  })
}

/** All that a time line of it has to hold, in milliseconds. */
export function lengthOf(way: Way): number {
  return Math.max(1, way.durationMs, ...wayOf(way).map(({ to }) => to))
}
