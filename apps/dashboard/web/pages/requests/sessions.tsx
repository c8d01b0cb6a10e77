import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/me.ts'
import { type SpendRow, spendQuery } from '../../api/spend.ts'
import { type RequestRow, sessionQuery } from '../../api/usage.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Empty, Loaded, Note } from '../../components/states.tsx'
import { Duration, FullTime, Money, Tokens } from '../../components/values.tsx'
import { count, counted, percent } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import { inRange } from '../../view/ranges.ts'
import { useView } from '../../view/use-view.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import type { RequestsSearch } from './search.ts'
import { sessionSums } from './session-sums.ts'

/** Sessions of clients by spend, or the requests of the chosen one in order. */
export function Sessions() {
  const { session } = useSearch({ from: '/within/requests' })
  const isOne = session !== undefined && !session.startsWith('!') && !session.includes(',')
  return isOne ? <Session id={session} /> : <SessionList />
}

function SessionList() {
  const seesAll = useMay('usage.read') === 'all'
  const search = useSearch({ from: '/within/requests' })
  const { range, rangeText, project, environment } = useView()
  const query = useInfiniteQuery({
    ...spendQuery({ from: String(range.from), to: String(range.to), project, environment, by: 'session' }),
    enabled: seesAll,
  })
  if (!seesAll) return <Empty title="The list is for people who see all usage" />
  return (
    <Loaded query={query} rows={10}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items).filter(({ ids, isRest }) => !isRest && Boolean(ids[0]))
        if (rows.length === 0) return <Empty title={`No sessions ${inRange(rangeText)}`} />
        return (
          <>
            <Table
              label="Sessions by spend"
              columns={SESSION_COLUMNS}
              rows={rows}
              idOf={({ ids }) => ids[0] ?? ''}
              linkOf={({ ids }) => ({ to: '/requests', search: { ...search, session: ids[0] ?? undefined } })}
            />
            {query.hasNextPage && (
              <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show more
              </Button>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

const SESSION_COLUMNS: readonly TableColumn<SpendRow>[] = [
  { id: 'session', title: LABELS.session, isName: true, cell: ({ names, ids }) => names[0] ?? ids[0] },
  { id: 'requests', title: LABELS.requests, width: '7rem', isNumber: true, cell: ({ sums }) => count(sums.requests) },
  {
    id: 'tokens',
    title: LABELS.tokens,
    width: '7rem',
    from: 'md',
    isNumber: true,
    cell: ({ sums }) => <Tokens value={sums.input + sums.output} />,
  },
  {
    id: 'cache',
    title: LABELS.cacheShare,
    width: '8rem',
    from: 'md',
    isNumber: true,
    cell: ({ sums }) => percent(sums.input === 0 ? null : sums.cacheRead / sums.input),
  },
  {
    id: 'spend',
    title: LABELS.spend,
    width: '7rem',
    isNumber: true,
    cell: ({ sums }) => <Money nanos={sums.charged === '0' && sums.unpriced > 0 ? null : sums.charged} />,
  },
]

/** Requests of a session in order, with its sums. */
function Session({ id }: { readonly id: string }) {
  const search = useSearch({ from: '/within/requests' })
  const { range, rangeText, project, environment } = useView()
  const query = useQuery(sessionQuery(range, { session: id, project, environment }))
  const inOrder = useMemo(() => query.data?.items.toReversed() ?? [], [query.data])
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 className="truncate text-heading">
          {LABELS.session} {id}
        </h2>
        <Link to="/requests" search={{ ...search, session: undefined, row: undefined }} className={buttonClass()}>
          All sessions
        </Link>
      </div>
      <Loaded query={query} rows={10}>
        {({ cursor }) =>
          inOrder.length === 0 ? (
            <Empty title={`No requests of this session ${inRange(rangeText)}`} />
          ) : (
            <>
              {cursor !== undefined && <Note look="plain">Only the newest {count(inOrder.length)} requests.</Note>}
              <Sums rows={inOrder} />
              <Table
                label="Requests of the session in order"
                columns={REQUEST_COLUMNS}
                rows={inOrder}
                idOf={({ requestId }) => requestId}
                linkOf={({ requestId }: RequestRow) => ({
                  to: '/requests',
                  search: { ...search, row: requestId } satisfies RequestsSearch,
                })}
                open={search.row}
              />
            </>
          )
        }
      </Loaded>
    </>
  )
}

function Sums({ rows }: { readonly rows: readonly RequestRow[] }) {
  const { charged, isWhole, input, output, cacheShare, elapsedMs } = sessionSums(rows)
  return (
    <p className="mb-3 text-muted">
      {counted(rows.length, 'request')} in <Duration ms={elapsedMs} />, <Money nanos={charged} />
      {isWhole ? '' : ' and requests of unknown cost'}, <Tokens value={input} /> input and <Tokens value={output} />{' '}
      output tokens, {percent(cacheShare)} of the input from caches
    </p>
  )
}

const REQUEST_COLUMNS: readonly TableColumn<RequestRow>[] = [
  { id: 'at', title: LABELS.time, width: '12rem', from: 'md', cell: ({ at }) => <FullTime at={at} /> },
  { id: 'outcome', title: LABELS.outcome, width: '7rem', cell: (row) => <OutcomeMark row={row} /> },
  { id: 'model', title: LABELS.model, isName: true, cell: ({ model }) => model || 'no model' },
  {
    id: 'input',
    title: LABELS.input,
    width: '6rem',
    from: 'md',
    isNumber: true,
    cell: (row) => <Tokens value={row.input} />,
  },
  {
    id: 'cache',
    title: LABELS.cacheShare,
    width: '8rem',
    from: 'md',
    isNumber: true,
    cell: (row) => percent(sessionSums([row]).cacheShare),
  },
  {
    id: 'output',
    title: LABELS.output,
    width: '6rem',
    from: 'md',
    isNumber: true,
    cell: (row) => <Tokens value={row.output} />,
  },
  {
    id: 'duration',
    title: LABELS.duration,
    width: '7rem',
    from: 'md',
    isNumber: true,
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
  },
  { id: 'cost', title: LABELS.cost, width: '7rem', isNumber: true, cell: ({ charged }) => <Money nanos={charged} /> },
]
