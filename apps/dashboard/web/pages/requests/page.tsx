import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo } from 'react'
import { addressOf } from '../../api/call.ts'
import { useProjectNames } from '../../api/names.ts'
import { type ListFilters, rowsQuery } from '../../api/usage.ts'
import { Button } from '../../components/button.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Note, Skeleton } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { count } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { useLiveRequests } from '../../shell/live.ts'
import { inRange, rangeText } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { readColumns } from './columns.tsx'
import { useDensity } from './density.ts'
import { FilterBar } from './filter-bar.tsx'
import { Histogram } from './histogram.tsx'
import { Rows } from './list.tsx'
import { usePreference } from './preferences.ts'
import { filtersOf, type RequestsSearch } from './search.ts'
import { sortedRange } from './sorted-range.ts'

const loadPanel = () => import('./panel.tsx').then(({ RequestPanel: component }) => ({ default: component }))
const RequestPanel = lazy(loadPanel)
// Menus and errors are not needed to see the rows.
const Errors = lazy(() => import('./errors.tsx').then(({ Errors: component }) => ({ default: component })))
const Sessions = lazy(() => import('./sessions.tsx').then(({ Sessions: component }) => ({ default: component })))
const ListMenus = lazy(() => import('./list-menus.tsx').then(({ ListMenus: component }) => ({ default: component })))

/** List of requests with filters, and their errors over time. */
export function RequestsPage() {
  const search = useSearch({ from: '/within/requests' })
  const { range, project, environment } = useView()
  const change = useChangeSearch<RequestsSearch>()
  // The panel is preloaded, so that the first row opens without delay.
  useEffect(() => void loadPanel(), [])
  const projects = useProjectNames()
  const filters = useMemo<ListFilters>(
    () => Object.assign(filtersOf(search), { project, environment }),
    [search, project, environment],
  )
  const close = (): void => change({ row: undefined })
  const { tab = 'list' } = search
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
      <Tabs
        label="Requests, sessions and errors"
        tabs={[
          { id: 'list', title: 'All requests' },
          { id: 'sessions', title: LABELS.sessions },
          { id: 'errors', title: 'Errors' },
        ]}
        chosen={tab}
        onChoose={(id) => change({ tab: id === 'list' ? undefined : id })}
      >
        {tab === 'errors' || tab === 'sessions' ? (
          <Suspense fallback={<Skeleton rows={10} />}>{tab === 'errors' ? <Errors /> : <Sessions />}</Suspense>
        ) : (
          <List filters={filters} />
        )}
      </Tabs>
    </Page>
  )
}

/** Filters, chart and rows. */
function List({ filters }: { readonly filters: ListFilters }) {
  const search = useSearch({ from: '/within/requests' })
  const { range, rangeText: chosen } = useView()
  const change = useChangeSearch<RequestsSearch & { range?: string }>()
  const { sort } = search
  const searched = sort === undefined ? range : sortedRange(range)
  const query = useInfiniteQuery(rowsQuery(searched, sort === undefined ? filters : { ...filters, sort }))
  const preferred = usePreference('columns.requests')
  const columns = useMemo(() => readColumns(search.columns ?? preferred), [search.columns, preferred])
  const density = useDensity()
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <FilterBar filters={search} rows={rows} onChange={(next) => change({ ...next, row: undefined })} />
        <Suspense fallback={<div className="min-h-(--control)" />}>
          <ListMenus columns={columns} />
        </Suspense>
      </div>
      <Histogram range={range} filters={filters} onZoom={(from, to) => change({ range: rangeText({ from, to }) })} />
      {searched.from > range.from && (
        <Note look="plain">
          Sorted by {sort}, among the requests of the last 7 days of the selected range ({inRange(chosen)}).
        </Note>
      )}
      <NewRows onShow={() => void query.refetch()} />
      {/* The height of rows is measured once. */}
      <Rows key={density} query={query} rows={rows} columns={columns} />
    </>
  )
}

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
        {count(waiting)} new
      </Button>
    </div>
  )
}
