import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { seriesQuery } from '../../api/usage.ts'
import { timesOf } from '../../charts/times.ts'
import { Part } from '../../components/part.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { dollars } from '../../formats/money.ts'
import { percent } from '../../formats/numbers.ts'
import { failureShare, sumsOf } from '../../usage/sums.ts'
import { titleOf } from '../../view/ranges.ts'
import { useView } from '../../view/use-view.ts'

/** What a key has used in the range that is looked at. */
export function KeyUsage({ id }: { readonly id: string }) {
  const { range, rangeText } = useView()
  const { data, error, refetch } = useQuery(seriesQuery(range, { key: id, by: 'model' }))
  const points = data?.points ?? []
  const sums = sumsOf(points)
  const times = timesOf(
    points.map(({ start }) => start),
    range,
  )
  const spend = times.map((time) => dollars(sumsOf(points.filter(({ start }) => start === time)).spend))
  return (
    <Part title={`Used: ${titleOf(rangeText).toLowerCase()}`}>
      {/* As high while it is read as it is then. */}
      <div className="min-h-36 sm:min-h-24">
        {error && !data ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : !data ? (
          <Skeleton rows={3} />
        ) : sums.requests === 0 ? (
          <p className="text-muted">No requests in this time.</p>
        ) : (
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
            <Link to="/requests" search={{ key: id }}>
              Its requests
            </Link>
          </>
        )}
      </div>
    </Part>
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
