import type { NowReport } from '../../api/now.ts'
import { Figure } from '../../components/figure.tsx'
import { Duration, Money, Tokens } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import { dollars } from '../../formats/money.ts'
import { counted, percent } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { failedIn, type NowTotals } from './sums.ts'

export interface NowFiguresProps {
  readonly of: NowReport
  readonly totals: NowTotals
}

/** Key figures of the last hour. */
export function NowFigures({ of, totals }: NowFiguresProps) {
  const { minutes, firstByte, refusals } = of
  const { requests, failed, failedOver, charged } = totals
  const range = '1h'
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Figure
        title={LABELS.requests}
        line={minutes.map((minute) => minute.requests)}
        link={{ to: '/requests', search: { range } }}
      >
        <Tokens value={requests} />
      </Figure>
      <Figure
        title={LABELS.failureRate}
        line={minutes.map(failedIn)}
        link={{ to: '/requests', search: { range, outcome: 'failed,cut' } }}
        note={requests > 0 && `${counted(failed, 'request')} · ${counted(failedOver, 'failover')}`}
      >
        {requests === 0 ? '–' : percent(failed / requests)}
      </Figure>
      <Figure title={`${LABELS.ttft} p95`} note={firstByte && `median ${duration(firstByte.p50)}`}>
        {firstByte ? <Duration ms={firstByte.p95} /> : '–'}
      </Figure>
      <Figure title="Refused" link={{ to: '/requests', search: { range, outcome: 'refused' } }}>
        <Tokens value={refusals.total} />
      </Figure>
      <Figure title={LABELS.spend} line={minutes.map((minute) => dollars(minute.charged))}>
        <Money nanos={charged} />
      </Figure>
    </div>
  )
}
