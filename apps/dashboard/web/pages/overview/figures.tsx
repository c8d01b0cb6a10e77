import type { LinkProps } from '@tanstack/react-router'
import { Figure } from '../../components/figure.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import { dollars } from '../../formats/money.ts'
import { counted, percent } from '../../formats/numbers.ts'
import { failureShare, type Sums } from '../../usage/sums.ts'
import type { Latency } from './latency.ts'
import { deltaOf, latencyDeltaOf } from './sums.ts'

export interface FiguresProps {
  readonly now: Sums
  /** Of the period before; undefined = not known yet. */
  readonly earlier: Sums | undefined
  readonly latency: Latency | undefined
  /** All of a time, in the order of times. */
  readonly byTime: readonly Sums[]
}

const REQUESTS: LinkProps = { to: '/requests' }

/** What there is to know at a glance. */
export function Figures({ now, earlier, latency, byTime }: FiguresProps) {
  const delta = (of: (sums: Sums) => number) => (earlier ? { share: deltaOf(now, earlier, of) } : undefined)
  const worse = (of: (sums: Sums) => number) =>
    earlier ? { share: deltaOf(now, earlier, of), isWorse: true } : undefined
  const first = latency?.firstByteMs
  return (
    <div className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Figure
        title="Spend"
        delta={worse(({ spend }) => dollars(spend))}
        line={byTime.map(({ spend }) => dollars(spend))}
        link={REQUESTS}
      >
        <Money nanos={now.spend} />
      </Figure>
      <Figure
        title="Requests"
        delta={delta(({ requests }) => requests)}
        line={byTime.map(({ requests }) => requests)}
        link={REQUESTS}
      >
        <Tokens value={now.requests} />
      </Figure>
      <Figure
        title="Tokens"
        delta={delta(({ input, output }) => input + output)}
        line={byTime.map(({ input, output }) => input + output)}
        link={REQUESTS}
      >
        <Tokens value={now.input + now.output} />
      </Figure>
      <Figure
        title="Failures"
        delta={worse(failureShare)}
        line={byTime.map((sums) => (sums.requests === 0 ? null : failureShare(sums)))}
        link={REQUESTS}
      >
        <span title={counted(now.failed, 'request')}>{percent(failureShare(now))}</span>
      </Figure>
      <Figure
        title="Time to first byte"
        delta={latency?.firstByteMsBefore === undefined ? undefined : { share: latencyDeltaOf(latency), isWorse: true }}
        note={
          latency &&
          (first ? (
            <span title={`of ${counted(first.requests, 'streamed answer')}`}>p95 {duration(first.p95)}</span>
          ) : (
            'nothing was streamed'
          ))
        }
      >
        {first ? duration(first.p50) : <span className="text-muted">–</span>}
      </Figure>
    </div>
  )
}
