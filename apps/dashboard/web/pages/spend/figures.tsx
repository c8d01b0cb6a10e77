import type { LinkProps } from '@tanstack/react-router'
import { Figure } from '../../components/figure.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import { dollars } from '../../formats/money.ts'
import { counted, percent } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { failureShare, type UsageTotals } from '../../usage/sums.ts'
import type { LatencyReport } from './latency.ts'
import { deltaOf, failureDeltaOf, latencyDeltaOf } from './sums.ts'

export interface FiguresProps {
  readonly now: UsageTotals
  /** Sums of the previous period; undefined = not loaded yet. */
  readonly earlier: UsageTotals | undefined
  readonly latency: LatencyReport | undefined
  /** Sums of each period of the range; undefined = unknown. */
  readonly byTime: readonly UsageTotals[] | undefined
}

const REQUESTS: LinkProps = { to: '/requests' }
const FAILED: LinkProps = { to: '/requests', search: { outcome: 'failed,cut,canceled' } }

/** Key figures of the range. */
export function Figures({ now, earlier, latency, byTime }: FiguresProps) {
  // More spend or traffic is neither good nor bad.
  const delta = (of: (sums: UsageTotals) => number) => (earlier ? { share: deltaOf(now, earlier, of) } : undefined)
  const first = latency?.firstByteMs
  return (
    <div className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Figure
        title={LABELS.spend}
        delta={delta(({ spend }) => dollars(spend))}
        line={byTime?.map(({ spend }) => dollars(spend))}
        link={REQUESTS}
      >
        <Money nanos={now.spend} />
      </Figure>
      <Figure
        title={LABELS.requests}
        delta={delta(({ requests }) => requests)}
        line={byTime?.map(({ requests }) => requests)}
        link={REQUESTS}
      >
        <Tokens value={now.requests} />
      </Figure>
      <Figure
        title={LABELS.tokens}
        delta={delta(({ input, output }) => input + output)}
        line={byTime?.map(({ input, output }) => input + output)}
        link={REQUESTS}
      >
        <Tokens value={now.input + now.output} />
      </Figure>
      <Figure
        title={LABELS.failureRate}
        delta={earlier && { share: failureDeltaOf(now, earlier), isWorse: true, isPoints: true }}
        line={byTime?.map((sums) => (sums.requests === 0 ? null : failureShare(sums)))}
        link={FAILED}
      >
        <span title={counted(now.failed, 'request')}>{percent(failureShare(now))}</span>
      </Figure>
      <Figure
        title={LABELS.ttft}
        delta={latency?.firstByteMsBefore === undefined ? undefined : { share: latencyDeltaOf(latency), isWorse: true }}
        note={
          latency &&
          (first ? (
            <span title={counted(first.requests, 'streamed response')}>p95 {duration(first.p95)}</span>
          ) : (
            'no streamed responses'
          ))
        }
      >
        {first ? duration(first.p50) : <span className="text-muted">–</span>}
      </Figure>
    </div>
  )
}
