import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { addressOf } from '../../../api/call.ts'
import { useMay } from '../../../api/me.ts'
import { Button } from '../../../components/button.tsx'
import { ExportMenu } from '../../../components/export-menu.tsx'
import { Empty, Failed, Forbidden, Skeleton } from '../../../components/states.tsx'
import { counted } from '../../../formats/numbers.ts'
import { Feed } from '../../../table/feed.tsx'
import { inRange } from '../../../view/ranges.ts'
import { useChangeSearch, useView } from '../../../view/use-view.ts'
import type { OrganizationSearch } from '../search.ts'
import { type AuditLogEntry, auditQuery, filtersOf, useNames } from './audit.ts'
import { AuditFilterBar } from './audit-filters.tsx'
import { auditColumns } from './columns.tsx'

/** Audit log, newest first. */
export function AuditTab() {
  if (useMay('audit.read') === undefined) return <Forbidden>Only owners and admins can read the audit log.</Forbidden>
  return <Log />
}

function Log() {
  const search = useSearch({ from: '/within/organization' })
  const { range, rangeText } = useView()
  const change = useChangeSearch<OrganizationSearch>()
  const names = useNames()
  const filters = useMemo(() => filtersOf(search), [search])
  const { data, error, isLoading, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    auditQuery(range, filters),
  )
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const columns = useMemo(() => auditColumns(names, search.row !== undefined), [names, search.row])
  const active = Object.keys(filters).length
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-3">
        <AuditFilterBar filters={filters} names={names} onChange={(next) => change({ ...next, row: undefined })} />
        <div className="mb-3 self-end">
          <ExportMenu
            label="Export audit log"
            addressOf={(format) =>
              addressOf('GET /audit/export', { query: { ...filters, from: range.from, to: range.to, format } })
            }
          />
        </div>
      </div>
      {error && rows.length === 0 ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : isLoading ? (
        <Skeleton rows={12} />
      ) : rows.length === 0 ? (
        active > 0 ? (
          <Empty
            title="No matching entries"
            action={
              <Button onClick={() => change({ actor: undefined, action: undefined, target: undefined })}>
                Clear {counted(active, 'filter')}
              </Button>
            }
          />
        ) : (
          <Empty title={`No entries ${inRange(rangeText)}`}>
            <p>Select a longer time range. Entries are kept for two years.</p>
          </Empty>
        )
      ) : (
        <Feed
          label="Audit log, newest first"
          columns={columns}
          rows={rows}
          idOf={({ id }: AuditLogEntry) => id}
          linkOf={({ id }) => ({ to: '/organization', search: { ...search, row: id } })}
          open={search.row}
          end={
            hasNextPage && (
              <div className="flex justify-center py-4">
                <Button onClick={() => void fetchNextPage()} isBusy={isFetchingNextPage}>
                  {isFetchingNextPage ? 'Loading…' : 'Older entries'}
                </Button>
              </div>
            )
          }
        />
      )}
    </>
  )
}
