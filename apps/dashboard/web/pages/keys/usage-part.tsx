import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type SeriesPoint, seriesQuery } from '../../api/usage.ts'
import { timesOf } from '../../charts/times.ts'
import { Part } from '../../components/page.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { Loaded } from '../../components/states.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { dollars } from '../../formats/money.ts'
import { percent } from '../../formats/numbers.ts'
import { failureShare, sumsOf } from '../../usage/sums.ts'
import { type Range, titleOf } from '../../view/ranges.ts'
import { useView } from '../../view/use-view.ts'

/** What a key has used in the range that is looked at. */
export function KeyUsage({ id }: { readonly id: string }) {
  const { range, rangeText } = useView()
  const query = useQuery(seriesQuery(range, { key: id, by: 'model' }))
  return (
    <Part title={`Used: ${titleOf(rangeText).toLowerCase()}`}>
      {/* As high while it is read as it is then. */}
      <div className="min-h-36 sm:min-h-24">
        <Loaded query={query} rows={3}>
          {({ points }) => <Sums of={id} points={points} range={range} />}
        </Loaded>
      </div>
    </Part>
  )
}

interface SumsProps {
  /** Id of the key. */
  readonly of: string
  readonly points: readonly SeriesPoint[]
  readonly range: Range
}

function Sums({ of, points, range }: SumsProps) {
  const sums = sumsOf(points)
  if (sums.requests === 0) return <p className="text-muted">No requests in this time.</p>
  const times = timesOf(
    points.map(({ start }) => start),
    range,
  )
  const spend = times.map((time) => dollars(sumsOf(points.filter(({ start }) => start === time)).spend))
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Fact name="Spend">
          <Money nanos={sums.spend} />
        </Fact>
        <Fact name="Requests">
          <Tokens value={sums.requests} />
        </Fact>
        <Fact name="Tokens">
          <Tokens value={sums.input + sums.output} />
        </Fact>
        <Fact name="Failures">{percent(failureShare(sums))}</Fact>
      </dl>
      <Sparkline values={spend} />
      <Link to="/requests" search={{ key: of }}>
        Its requests
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
