import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import { addressOf } from '../../api/ask.ts'
import { useKeyNames, useProjectNames } from '../../api/names.ts'
import { rowsQuery, type UsageFilters, type UsageRow } from '../../api/usage.ts'
import { gatewayUrl } from '../../app/base.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { ENTRY, Popover } from '../../components/popover.tsx'
import { Empty, Failed, Note, Skeleton } from '../../components/states.tsx'
import { counted } from '../../formats/numbers.ts'
import { fullTime } from '../../formats/times.ts'
import { useLiveRequests } from '../../shell/live-requests.ts'
import { Feed } from '../../table/feed.tsx'
import { rangeText, titleOf } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { requestColumns } from './columns.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Histogram } from './histogram.tsx'
import { FILTER_NAMES, type RequestsSearch } from './search.ts'

const loadPanel = () => import('./panel.tsx').then(({ RequestPanel: component }) => ({ default: component }))
const RequestPanel = lazy(loadPanel)

/** What happened to a call, and why it cost that. */
export function RequestsPage() {
  const search = useSearch({ from: '/within/requests' })
  const { range, rangeText: chosen, project, environment } = useView()
  const change = useChangeSearch<RequestsSearch & { range?: string }>()
  // It is there before the first row is opened.
  useEffect(() => void loadPanel(), [])
  const keys = useKeyNames()
  const projects = useProjectNames()
  const filters = useMemo(() => {
    const own = Object.fromEntries(
      FILTER_NAMES.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
    )
    return {
      ...own,
      ...(project !== undefined && { project }),
      ...(environment !== undefined && { environment }),
    } as UsageFilters
  }, [search, project, environment])
  const { data, error, isLoading, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    rowsQuery(range, filters),
  )
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const until = data?.pages.at(-1)?.searchedUntil
  const columns = useMemo(() => requestColumns(keys, search.row !== undefined), [keys, search.row])
  const active = FILTER_NAMES.filter((name) => search[name] !== undefined)
  const clear = (): void => change(Object.fromEntries(active.map((name) => [name, undefined])))
  const zoom = (from: number, to: number): void => change({ range: rangeText({ from, to }) })
  const hasSums = search.failure === undefined && search.tag === undefined
  const { failure: _failure, tag: _tag, ...summed } = filters
  return (
    <Page
      isWide
      title="Requests"
      scope={project === undefined ? undefined : projects.get(project)}
      actions={<Export filters={filters} from={range.from} to={range.to} />}
      peek={
        search.row !== undefined && (
          <Suspense
            fallback={<PeekPending of={search.row} title="Request" onClose={() => change({ row: undefined })} />}
          >
            <RequestPanel request={search.row} onClose={() => change({ row: undefined })} />
          </Suspense>
        )
      }
    >
      <FilterBar filters={search} onChange={(next) => change({ ...next, row: undefined })} />
      {hasSums && <Histogram range={range} filters={summed} onZoom={zoom} />}
      <NewRows onShow={() => void refetch()} />
      {error && rows.length === 0 ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : isLoading ? (
        <Skeleton rows={14} />
      ) : rows.length === 0 && !hasNextPage ? (
        active.length > 0 ? (
          <Empty
            title="No requests match."
            action={<Button onClick={clear}>Clear {counted(active.length, 'filter')}</Button>}
          />
        ) : (
          <Empty title={`No requests: ${titleOf(chosen).toLowerCase()}.`} command={COMMAND}>
            <p>Make one with a key of yours, or look at a longer time.</p>
          </Empty>
        )
      ) : (
        <Feed
          label="Requests, newest first"
          columns={columns}
          rows={rows}
          idOf={({ requestId, id }: UsageRow) => requestId || id}
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
      )}
    </Page>
  )
}

const COMMAND = `curl ${gatewayUrl()}/v1/chat/completions \\
  -H "Authorization: Bearer $HEADGATE_API_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "demo", "messages": [{"role": "user", "content": "Hello"}]}'`

/** What has come meanwhile: shown when it is asked for, so that no row moves under the pointer. */
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

/** The next rows, when the end comes into view, or by a button. */
function More({
  isBusy,
  canFollow,
  onMore,
}: {
  readonly isBusy: boolean
  readonly canFollow: boolean
  onMore(): void
}) {
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

function Export({ filters, from, to }: { readonly filters: UsageFilters; readonly from: number; readonly to: number }) {
  const address = (format: 'csv' | 'ndjson'): string =>
    addressOf('GET /usage/export', { query: { ...filters, from: String(from), to: String(to), format } })
  return (
    <Popover
      label="Export"
      isAtEnd
      className="border-field! text-text!"
      face={
        <>
          <Download aria-hidden size={14} /> Export
        </>
      }
    >
      <a className={ENTRY} href={address('csv')} download>
        As comma-separated values
      </a>
      <a className={ENTRY} href={address('ndjson')} download>
        As lines of JSON
      </a>
    </Popover>
  )
}
