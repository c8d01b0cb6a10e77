import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { failuresQuery, type RequestDetails } from '../../api/usage.ts'
import { counted } from '../../formats/numbers.ts'
import { rangeText } from '../../view/ranges.ts'
import { filtersOfGroup, startOfDay } from './failure-groups.ts'
import { NO_FILTERS } from './search.ts'

/** Number of requests of the same day, provider and key that failed in the same way, with a link to them. */
export function SameFailure({ row, now }: { readonly row: RequestDetails; readonly now: number }) {
  const { failure, provider, principal: key, at } = row
  const from = startOfDay(at)
  // Noon of the next day is in the next day, also if clocks change.
  const to = startOfDay(from + 36 * 3_600_000)
  const { data } = useQuery(failuresQuery({ from, to }, { by: 'failure,provider', key }))
  const group = data?.items.find((one) => one.failure === failure && one.name === provider)
  if (!group || group.requests < 2) return null
  return (
    <p className="mt-1">
      <Link
        to="/requests"
        search={{
          ...NO_FILTERS,
          ...filtersOfGroup(group, 'provider'),
          key,
          tab: undefined,
          row: undefined,
          range: rangeText({ from, to }),
        }}
        className="text-accent underline"
      >
        Same failure {counted(group.requests, 'time')} {startOfDay(now) === from ? 'today' : 'that day'}
      </Link>
    </p>
  )
}
