import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import { addressOf, type ResponseOf } from '../../api/call.ts'
import { useKeyNames, useProjectNames } from '../../api/names.ts'
import { type RequestRow, type RowFilters, rowsQuery } from '../../api/usage.ts'
import { gatewayUrl } from '../../app/base.ts'
import { Button } from '../../components/button.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Empty, Failed, Note, Skeleton } from '../../components/states.tsx'
import { counted } from '../../formats/numbers.ts'
import { fullTime } from '../../formats/times.ts'
import { LABELS } from '../../labels.ts'
import { useLiveRequests } from '../../shell/live.ts'
import { Feed } from '../../table/feed.tsx'
import { inRange, rangeText } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { requestColumns } from './columns.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Histogram } from './histogram.tsx'
import { FILTER_NAMES, type RequestsSearch } from './search.ts'

const loadPanel = () => import('./panel.tsx').then(({ RequestPanel: component }) => ({ default: component }))
const RequestPanel = lazy(loadPanel)

/** List of requests with filters. */
export function RequestsPage() {
  const search = useSearch({ from: '/within/requests' })
  const { range, project, environment } = useView()
  const change = useChangeSearch<RequestsSearch & { range?: string }>()
  // The panel is preloaded, so that the first row opens without delay.
  useEffect(() => void loadPanel(), [])
  const projects = useProjectNames()
  const filters = useMemo<RowFilters>(() => {
    const own = Object.fromEntries(FILTER_NAMES.map((name) => [name, search[name]]))
    return { ...own, project, environment }
  }, [search, project, environment])
  const query = useInfiniteQuery(rowsQuery(range, filters))
  const { endpoint, failure, tag, ...summed } = filters
  const close = (): void => change({ row: undefined })
  return (
    <Page
      isWide
      title={LABELS.requests}
      scope={project === undefined ? undefined : projects.get(project)}
      actions={
        <ExportMenu
          label="Export"
          addressOf={(format) =>
            addressOf('GET /usage/export', {
              query: { ...filters, from: String(range.from), to: String(range.to), format },
            })
          }
        />
      }
      peek={
        search.row !== undefined && (
          <Suspense fallback={<PeekPending of={search.row} title="Request" onClose={close} />}>
            <RequestPanel request={search.row} onClose={close} />
          </Suspense>
        )
      }
    >
      <FilterBar filters={search} onChange={(next) => change({ ...next, row: undefined })} />
      {endpoint === undefined && failure === undefined && tag === undefined && (
        <Histogram range={range} filters={summed} onZoom={(from, to) => change({ range: rangeText({ from, to }) })} />
      )}
      <NewRows onShow={() => void query.refetch()} />
      <Rows query={query} />
    </Page>
  )
}

type RequestsQuery = UseInfiniteQueryResult<InfiniteData<ResponseOf<'GET /usage'>>>

/** Matching requests, newest first. Older ones are loaded on demand. */
function Rows({ query }: { readonly query: RequestsQuery }) {
  const { data, error, isLoading, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query
  const search = useSearch({ from: '/within/requests' })
  const keys = useKeyNames()
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const columns = useMemo(() => requestColumns(keys, search.row !== undefined), [keys, search.row])
  const until = data?.pages.at(-1)?.searchedUntil
  if (error && rows.length === 0) return <Failed error={error} retry={() => void refetch()} />
  if (isLoading) return <Skeleton rows={14} />
  if (rows.length === 0 && !hasNextPage) return <NoRows />
  return (
    <Feed
      label="Requests, newest first"
      columns={columns}
      rows={rows}
      idOf={({ requestId, id }: RequestRow) => requestId || id}
      linkOf={({ requestId, id }) => ({ to: '/requests', search: { ...search, row: requestId || id } })}
      open={search.row}
      end={
        <div className="flex flex-col items-center gap-2 py-4">
          {until !== undefined && hasNextPage && <Note look="plain">Searched back to {fullTime(until)}.</Note>}
          {hasNextPage && (
            <More isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} canFollow={until === undefined} />
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
  const clear = (): void => change(Object.fromEntries(active.map((name) => [name, undefined])))
  return (
    <Empty
      title="No matching requests"
      action={<Button onClick={clear}>Clear {counted(active.length, 'filter')}</Button>}
    />
  )
}

const COMMAND = `curl ${gatewayUrl()}/v1/chat/completions \\
  -H "Authorization: Bearer $HEADGATE_API_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "demo", "messages": [{"role": "user", "content": "Hello"}]}'`

/** Button that shows new requests. They are not added automatically, so that rows do not move under the pointer. */
function NewRows({ onShow }: { onShow(): void }) {
  const [waiting, clear] = useLiveRequests()
  if (waiting === 0) return null
  return (
    <div className="mb-2 flex justify-center">
      <Button
        onClick={() => {
          clear()
          onShow()
        }}
      >
        {waiting} new
      </Button>
    </div>
  )
}

interface MoreProps {
  readonly isBusy: boolean
  readonly canFollow: boolean
  onMore(): void
}

/** Button for older rows, which loads them automatically when it is near the viewport. */
function More({ isBusy, canFollow, onMore }: MoreProps) {
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
      {isBusy ? 'Loading…' : 'Older requests'}
    </Button>
  )
}
