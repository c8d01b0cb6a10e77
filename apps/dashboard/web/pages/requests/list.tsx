import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import type { ResponseOf } from '../../api/call.ts'
import type { RequestRow } from '../../api/usage.ts'
import { gatewayUrl } from '../../app/base.ts'
import { Button } from '../../components/button.tsx'
import { Empty, Failed, Note, Skeleton } from '../../components/states.tsx'
import { counted } from '../../formats/numbers.ts'
import { fullTime } from '../../formats/times.ts'
import { OrderedTable } from '../../table/ordered-table.tsx'
import { inRange } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { requestColumns } from './columns.tsx'
import { FILTER_NAMES, NO_FILTERS, type RequestSort, type RequestsSearch } from './search.ts'

export type RequestsQuery = UseInfiniteQueryResult<InfiniteData<ResponseOf<'GET /usage'>>>

/** Columns of the orders that the API has. */
const SORTED: Readonly<Record<RequestSort, string>> = { cost: 'cost', duration: 'time', tokens: 'usage' }

export interface RowsProps {
  readonly query: RequestsQuery
  readonly rows: readonly RequestRow[]
  /** IDs of the visible columns. */
  readonly columns: readonly string[]
}

/** Matching requests. More are loaded on demand. */
export function Rows({ query, rows, columns: ids }: RowsProps) {
  const { data, error, isLoading, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query
  const search = useSearch({ from: '/within/requests' })
  const change = useChangeSearch<RequestsSearch>()
  const { sort, row: open } = search
  const columns = useMemo(() => requestColumns(ids, open !== undefined), [ids, open])
  const until = data?.pages.at(-1)?.searchedUntil
  if (error && rows.length === 0) return <Failed error={error} retry={() => void refetch()} />
  if (isLoading) return <Skeleton rows={14} />
  if (rows.length === 0 && !hasNextPage) return <NoRows />
  return (
    <OrderedTable
      label={sort === undefined ? 'Requests, newest first' : `Requests, by ${sort}`}
      columns={columns}
      rows={rows}
      idOf={({ requestId, id }: RequestRow) => requestId || id}
      linkOf={({ requestId, id }) => ({ to: '/requests', search: { ...search, row: requestId || id } })}
      open={open}
      sort={sort && { id: SORTED[sort], isDescending: true }}
      // The API sorts from the greatest only. A second click restores the order by time.
      onSort={({ id }) => {
        const chosen = (Object.keys(SORTED) as RequestSort[]).find((one) => SORTED[one] === id)
        change({ sort: chosen === sort ? undefined : chosen })
      }}
      end={
        <div className="flex flex-col items-center gap-2 py-4">
          {until !== undefined && hasNextPage && <Note look="plain">Searched back to {fullTime(until)}.</Note>}
          {hasNextPage && (
            <More
              title={sort === undefined ? 'Older requests' : 'More requests'}
              isBusy={isFetchingNextPage}
              onMore={() => void fetchNextPage()}
              canFollow={until === undefined}
            />
          )}
        </div>
      }
    />
  )
}

/** Placeholder of an empty list: a button that clears filters, or a command that sends a request. */
function NoRows() {
  const search = useSearch({ from: '/within/requests' })
  const { rangeText: chosen } = useView()
  const change = useChangeSearch<RequestsSearch>()
  const active = FILTER_NAMES.filter((name) => search[name] !== undefined)
  if (active.length === 0)
    return (
      <Empty title={`No requests ${inRange(chosen)}`} command={COMMAND}>
        <p>Send a request with your key, or select a longer time range.</p>
      </Empty>
    )
  return (
    <Empty
      title="No matching requests"
      action={<Button onClick={() => change(NO_FILTERS)}>Clear {counted(active.length, 'filter')}</Button>}
    />
  )
}

const COMMAND = `curl ${gatewayUrl()}/v1/chat/completions \\
  -H "Authorization: Bearer $HEADGATE_API_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "demo", "messages": [{"role": "user", "content": "Hello"}]}'`

interface MoreProps {
  readonly title: string
  readonly isBusy: boolean
  readonly canFollow: boolean
  onMore(): void
}

/** Button for more rows, which loads them automatically when it is near the viewport. */
function More({ title, isBusy, canFollow, onMore }: MoreProps) {
  const button = useRef<HTMLButtonElement>(null)
  const latest = useRef(onMore)
  latest.current = onMore
  useEffect(() => {
    const element = button.current
    if (!element || !canFollow || isBusy) return undefined
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && latest.current(), {
      rootMargin: '600px',
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [canFollow, isBusy])
  return (
    <Button ref={button} onClick={onMore} isBusy={isBusy}>
      {isBusy ? 'Loading…' : title}
    </Button>
  )
}
