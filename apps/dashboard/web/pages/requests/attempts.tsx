import type { RequestAttempt, RequestDetails } from '../../api/usage.ts'
import { StatusChip } from '../../components/chip.tsx'
import { classes } from '../../components/classes.ts'
import { Part } from '../../components/page.tsx'
import { Money } from '../../components/values.tsx'
import { failureText } from '../../failures.ts'
import { duration } from '../../formats/durations.ts'
import { LABELS } from '../../labels.ts'
import { attemptBill } from './billing.ts'
import { wordsOf } from './failure-box.tsx'

/** Attempts of a request on a time line, with the waits between them. */
export function Attempts({ row }: { readonly row: RequestDetails }) {
  const steps = timelineOf(row)
  const length = lengthOf(row)
  if (steps.length === 0)
    return (
      <Part title="Attempts">
        <p className="text-muted">No attempts recorded.</p>
      </Part>
    )
  return (
    <Part title="Attempts">
      <ol className="flex flex-col gap-3">
        {steps.map((step) => (
          <li key={`${step.kind} ${step.from} ${step.to}`}>
            {step.kind === 'wait' ? (
              <p className="flex justify-between gap-2 text-muted">
                <span>waited</span>
                <span>{duration(step.to - step.from)}</span>
              </p>
            ) : (
              <AttemptLine step={step} />
            )}
            <TimeBar step={step} length={length} firstByteMs={step === steps.at(-1) ? row.firstByteMs : null} />
          </li>
        ))}
      </ol>
      <p className="mt-2 flex justify-between text-small text-muted">
        <span>0</span>
        <span>
          {row.firstByteMs !== null && `${LABELS.ttft} ${duration(row.firstByteMs)}, `}
          total {duration(row.durationMs)}
        </span>
      </p>
    </Part>
  )
}

function AttemptLine({ step: { attempt, from, to } }: { readonly step: Extract<TimelineStep, { kind: 'attempt' }> }) {
  const { provider, endpoint, model, status, failure, code, cost } = attempt
  const words = wordsOf(attempt)
  const bill = attemptBill(attempt)
  return (
    <div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className="font-semibold">{provider}</span>
          {endpoint !== null && <span>{endpoint}</span>}
          {model !== provider && <span className="wrap-anywhere text-muted">{model}</span>}
          {status !== null && <StatusChip status={status} />}
          {status === null && failure !== null && <span className="text-muted">no response</span>}
          {failure !== null && <span className="text-bad">{failureText(failure)}</span>}
          {code !== null && <code className="font-mono text-small text-muted">{code}</code>}
        </p>
        <p className="text-small text-muted">
          {bill ?? <Money nanos={cost} />} · {duration(from)} – {duration(to)}
        </p>
      </div>
      {words !== undefined && <p className="text-small wrap-anywhere whitespace-pre-wrap text-muted">“{words}”</p>}
    </div>
  )
}

interface TimeBarProps {
  readonly step: TimelineStep
  readonly length: number
  readonly firstByteMs: number | null
}

/** Bar of a step on the time line, with a mark at the first byte. */
function TimeBar({ step, length, firstByteMs }: TimeBarProps) {
  const percent = (ms: number): string => `${(Math.min(ms, length) / length) * 100}%`
  const look =
    step.kind === 'wait' ? 'border border-dashed border-field' : step.attempt.failure !== null ? 'bg-bad' : 'bg-data'
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

/** Attempt of a request, or a wait before the next one. Milliseconds from the start of the request. */
export type TimelineStep =
  | { readonly kind: 'attempt'; readonly from: number; readonly to: number; readonly attempt: RequestAttempt }
  | { readonly kind: 'wait'; readonly from: number; readonly to: number }

/** Minimum length of a wait, in milliseconds. Shorter gaps are overhead of the gateway. */
const WAIT = 20

type RequestTimes = Pick<RequestDetails, 'at' | 'durationMs' | 'attempts'>

/** Steps of a request, in order. */
export function timelineOf({ at, attempts = [] }: RequestTimes): readonly TimelineStep[] {
  return attempts.flatMap((attempt, index): TimelineStep[] => {
    const from = Math.max(0, attempt.startedAt - at)
    const before = attempts[index - 1]
    const since = before ? Math.max(0, before.startedAt + before.durationMs - at) : from
    const step: TimelineStep = { kind: 'attempt', from, to: from + attempt.durationMs, attempt }
    return from - since >= WAIT ? [{ kind: 'wait', from: since, to: from }, step] : [step]
  })
}

/** Length of the time line in milliseconds. */
export function lengthOf(times: RequestTimes): number {
  return Math.max(1, times.durationMs, ...timelineOf(times).map(({ to }) => to))
}
