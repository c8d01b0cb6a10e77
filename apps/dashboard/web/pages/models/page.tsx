import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { modelsQuery } from '../../api/models.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Empty, Failed, Skeleton } from '../../components/states.tsx'
import { counted } from '../../formats/numbers.ts'
import { readSort, sortText } from '../../table/columns.ts'
import { LongTable } from '../../table/long-table.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { modelColumns } from './columns.tsx'
import { isWanted, type ModelRow, rowOf } from './facts.ts'
import { ModelsFilters } from './filters.tsx'
import { comparedOf, MODEL_FILTERS, MOST_COMPARED, type ModelFilters, type ModelsSearch } from './search.ts'

const ModelPanel = lazy(() => import('./panel.tsx').then(({ ModelPanel: component }) => ({ default: component })))
const Compared = lazy(() => import('./compared.tsx').then(({ Compared: component }) => ({ default: component })))

/** What can be called, what it costs, and who serves it. */
export function ModelsPage() {
  const search = useSearch({ from: '/within/models' })
  const { row, sort, compare } = search
  const change = useChangeSearch<ModelsSearch>()
  const { data, error, refetch } = useQuery(modelsQuery)
  const rows = useMemo(() => (data?.items ?? []).map(rowOf), [data])
  const filters: ModelFilters = Object.fromEntries(
    Object.keys(MODEL_FILTERS).map((name) => [name, search[name as keyof ModelFilters]]),
  )
  const shown = rows.filter((one) => isWanted(one, filters))
  const families = useMemo(() => [...new Set(rows.flatMap((one) => one.families))].toSorted(), [rows])
  const providers = useMemo(() => [...new Set(rows.flatMap((one) => one.providers))].toSorted(), [rows])
  const columns = useMemo(() => modelColumns(row !== undefined), [row])
  const compared = comparedOf(compare)
  const open = rows.find(({ id }) => id === row)
  const close = (): void => change({ row: undefined })
  const setCompared = (ids: readonly string[]): void => change({ compare: ids.length > 0 ? ids.join(',') : undefined })
  return (
    <Page
      isWide
      title="Models and prices"
      lead="In dollars per million tokens, of the cheapest who serves it. What nobody knows is said to be unknown, and is never taken for nothing."
      peek={
        row !== undefined && (
          <Suspense fallback={<PeekPending of={row} title={row} onClose={close} />}>
            <ModelPanel
              id={row}
              of={open}
              isLoading={data === undefined}
              isCompared={compared.includes(row)}
              onCompare={
                compared.includes(row)
                  ? () => setCompared(compared.filter((id) => id !== row))
                  : compared.length < MOST_COMPARED && open
                    ? () => setCompared([...compared, row])
                    : undefined
              }
              onClose={close}
            />
          </Suspense>
        )
      }
    >
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={12} />
      ) : rows.length === 0 ? (
        <Empty title="No model can be called." command="headgate doctor">
          <p>
            No provider is enabled. Set the key of one, as OPENAI_API_KEY, and start the gateway again; the page of
            providers names all variables.
          </p>
        </Empty>
      ) : (
        <>
          <ModelsFilters filters={filters} families={families} providers={providers} onChange={change} />
          {compared.length > 0 && (
            <Suspense fallback={<Skeleton rows={13} />}>
              <Compared
                rows={compared.map((id) => rows.find((one) => one.id === id)).filter((one) => one !== undefined)}
                onChange={setCompared}
              />
            </Suspense>
          )}
          <p role="status" className="mb-2 text-small text-muted">
            {shown.length === rows.length
              ? counted(rows.length, 'model')
              : `${shown.length} of ${counted(rows.length, 'model')}`}
          </p>
          {shown.length === 0 ? (
            <Empty
              title="No models match."
              action={
                <Button
                  onClick={() =>
                    change(Object.fromEntries(Object.keys(MODEL_FILTERS).map((name) => [name, undefined])))
                  }
                >
                  Show all models
                </Button>
              }
            />
          ) : (
            <LongTable
              label="Models"
              columns={columns}
              rows={shown}
              idOf={({ id }: ModelRow) => id}
              linkOf={({ id }) => ({ to: '/models', search: { ...search, row: id } })}
              open={row}
              sort={readSort(sort)}
              onSort={(next) => change({ sort: sortText(next) })}
            />
          )}
        </>
      )}
    </Page>
  )
}
