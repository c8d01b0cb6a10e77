import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { seriesQuery, type UsagePoint } from '../../api/usage.ts'
import { timesOf } from '../../charts/times.ts'
import { Part } from '../../components/page.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { Loaded } from '../../components/states.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { dollars } from '../../formats/money.ts'
import { percent } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { failureShare, sumsOf } from '../../usage/sums.ts'
import { inRange, type Range } from '../../view/ranges.ts'
import { useView } from '../../view/use-view.ts'

/** Usage of a key in the selected time range. */
export function KeyUsage({ id }: { readonly id: string }) {
  const { range, rangeText } = useView()
  const query = useQuery(seriesQuery(range, { key: id, by: 'model' }))
  return (
    <Part title={`Usage ${inRange(rangeText)}`}>
      {/* The height is reserved while the data is loaded. */}
      <div className="min-h-36 sm:min-h-24">
        <Loaded query={query} rows={3}>
          {({ points }) => <SumFacts of={id} points={points} range={range} />}
        </Loaded>
      </div>
    </Part>
  )
}

interface SumsProps {
  /** ID of the key. */
  readonly of: string
  readonly points: readonly UsagePoint[]
  readonly range: Range
}

function SumFacts({ of, points, range }: SumsProps) {
  const sums = sumsOf(points)
  if (sums.requests === 0) return <p className="text-muted">No requests in this time range.</p>
  const times = timesOf(
    points.map(({ start }) => start),
    range,
  )
  const spend = times.map((time) => dollars(sumsOf(points.filter(({ start }) => start === time)).spend))
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Fact name={LABELS.spend}>
          <Money nanos={sums.spend} />
        </Fact>
        <Fact name={LABELS.requests}>
          <Tokens value={sums.requests} />
        </Fact>
        <Fact name={LABELS.tokens}>
          <Tokens value={sums.input + sums.output} />
        </Fact>
        <Fact name={LABELS.failureRate}>{percent(failureShare(sums))}</Fact>
      </dl>
      <Sparkline values={spend} />
      <Link to="/requests" search={{ key: of }}>
        {LABELS.requests}
      </Link>
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-small text-muted">{name}</dt>
      <dd className="text-lead font-semibold">{children}</dd>
    </div>
  )
}
