import type { ReactNode } from 'react'
import { Duration } from '../../components/values.tsx'
import { percent, shortCount } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { failedShare, type ProviderStatus } from './providers.ts'

/** Minutes of the figures. */
const MINUTES = 15

/** Calls per minute, share of failed calls, and latency of a provider in the last 15 minutes. */
export function CallFigures({ of }: { readonly of: ProviderStatus }) {
  const { calls = 0, saved = 0, failed = 0, p50FirstByteMs, p95FirstByteMs } = of
  const share = failedShare(of)
  const perMinute = calls / MINUTES
  return (
    <dl className="grid grid-cols-3 gap-2">
      <Value name="Calls/min" title="Calls per minute within 15 minutes.">
        {perMinute > 0 && perMinute < 1 ? '<1' : shortCount(Math.round(perMinute))}
      </Value>
      <Value
        name={LABELS.failureRate}
        title={
          failed > 0 ? `${failed} of ${calls} calls failed. Failover saved ${saved} of their requests.` : undefined
        }
      >
        {share === null ? '–' : percent(share)}
      </Value>
      <Value
        name={`${LABELS.ttft} p95`}
        title={p50FirstByteMs === undefined ? undefined : `Median: ${p50FirstByteMs} ms`}
      >
        {p95FirstByteMs === undefined ? '–' : <Duration ms={p95FirstByteMs} />}
      </Value>
    </dl>
  )
}

interface ValueProps {
  readonly name: string
  readonly title?: string | undefined
  readonly children: ReactNode
}

function Value({ name, title, children }: ValueProps) {
  return (
    <div className="min-w-0" title={title}>
      <dt className="truncate text-small text-muted">{name}</dt>
      <dd className="font-semibold">{children}</dd>
    </div>
  )
}
