import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type FailureGroup, failuresQuery } from '../../api/usage.ts'
import { useNow } from '../../components/now.ts'
import { Sparkline } from '../../components/sparkline.tsx'
import { Empty, Loaded, Note } from '../../components/states.tsx'
import { Time } from '../../components/values.tsx'
import { failureText } from '../../failures.ts'
import { count, counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import { inRange, type Range } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { type FailureSplit, failuresRange, filtersOfGroup, overTime, since, startOfDay } from './failure-groups.ts'
import { startOfRequest } from './request-id.ts'
import { NO_FILTERS, type RequestsSearch } from './search.ts'
import { UnknownCallers } from './unknown-callers.tsx'

/** Failed and refused requests by kind and by provider or key, the most frequent first. */
export function Errors() {
  const { by: split = 'provider' } = useSearch({ from: '/within/requests' })
  const { range, rangeText, project, environment } = useView()
  const counted35 = failuresRange(range)
  const query = useQuery(failuresQuery(counted35, { project, environment, by: `failure,${split}` }))
  return (
    <>
      {counted35.from > range.from && <Note look="plain">Errors are counted for the last 35 days.</Note>}
      <Loaded query={query} rows={10}>
        {({ items, isCut }) => (
          <Groups groups={items} isCut={isCut} split={split} range={counted35} inRange={inRange(rangeText)} />
        )}
      </Loaded>
      <UnknownCallers range={counted35} />
    </>
  )
}

interface GroupsProps {
  readonly groups: readonly FailureGroup[]
  readonly isCut: boolean
  readonly split: FailureSplit
  readonly range: Pick<Range, 'from' | 'to'>
  readonly inRange: string
}

function Groups({ groups, isCut, split, range, inRange: within }: GroupsProps) {
  const search = useSearch({ from: '/within/requests' })
  const today = startOfDay(useNow())
  const columns = useMemo(() => groupColumns(split, range, today), [split, range, today])
  if (groups.length === 0) return <Empty title={`No errors ${within}`} />
  const all = groups.reduce((sum, group) => sum + group.requests, 0)
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted">
          {counted(all, 'failed or refused request')} {within}
          {isCut ? `, in the ${count(groups.length)} largest groups` : ''}. A row opens its newest request.
        </p>
        <SplitButtons split={split} />
      </div>
      <Table
        label={`Errors by kind and ${split}`}
        columns={columns}
        rows={groups}
        idOf={({ failure, name, newest }) => newest ?? `${failure} ${name}`}
        linkOf={(group) => ({ to: '/requests', search: { ...search, ...linkOf(group, split) } })}
        open={search.row}
      />
    </>
  )
}

/** Change of the address that opens the newest request of a group, or the list if it is not stored. */
function linkOf(group: FailureGroup, split: FailureSplit): RequestsSearch {
  if (group.newest !== null) return { row: group.newest }
  return { ...NO_FILTERS, ...filtersOfGroup(group, split), tab: undefined, row: undefined }
}

const SPLITS = [
  ['provider', LABELS.provider],
  ['key', LABELS.key],
] as const

function SplitButtons({ split }: { readonly split: FailureSplit }) {
  const change = useChangeSearch<RequestsSearch>()
  return (
    <fieldset aria-label="Group by" className="flex rounded-field border border-field">
      {SPLITS.map(([id, title]) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === split}
          onClick={() => change({ by: id === 'key' ? id : undefined })}
          className="min-h-[calc(var(--control)-2px)] rounded-field px-3 text-small outline-offset-[-2px] hover:bg-sunken aria-pressed:bg-sunken aria-pressed:font-semibold pointer-coarse:min-h-11"
        >
          By {title.toLowerCase()}
        </button>
      ))}
    </fieldset>
  )
}

const NONE = <span className="text-muted">–</span>

function groupColumns(
  split: FailureSplit,
  range: Pick<Range, 'from' | 'to'>,
  today: number,
): readonly TableColumn<FailureGroup>[] {
  return [
    {
      id: 'failure',
      title: LABELS.failure,
      isName: true,
      cell: ({ failure }) => <span title={failure}>{failureText(failure)}</span>,
    },
    {
      id: 'name',
      title: split === 'key' ? LABELS.key : LABELS.provider,
      cell: ({ name, keyName }) => (name === '' ? NONE : <span title={name}>{keyName ?? name}</span>),
    },
    {
      id: 'time',
      title: 'Over time',
      width: '10rem',
      from: 'md',
      cell: ({ hours }) => <Sparkline values={overTime(hours, range)} />,
    },
    {
      id: 'today',
      title: 'Today',
      width: '5rem',
      from: 'sm',
      isNumber: true,
      cell: ({ hours }) => count(since(hours, today)),
    },
    {
      id: 'requests',
      title: LABELS.requests,
      width: '6rem',
      isNumber: true,
      cell: (group) => (
        <Link
          to="/requests"
          search={{ ...NO_FILTERS, ...filtersOfGroup(group, split), tab: undefined, row: undefined }}
          className="relative z-1 underline"
          aria-label={`Show ${counted(group.requests, 'request')}`}
        >
          {count(group.requests)}
        </Link>
      ),
    },
    { id: 'newest', title: 'Newest', width: '8rem', cell: ({ newest }) => <Newest request={newest} /> },
  ]
}

function Newest({ request }: { readonly request: string | null }) {
  const at = request === null ? undefined : startOfRequest(request)
  return at === undefined ? NONE : <Time at={at} />
}
