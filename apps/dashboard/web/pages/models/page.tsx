import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { modelsQuery } from '../../api/models.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Empty, Loaded, Skeleton } from '../../components/states.tsx'
import { counted } from '../../formats/numbers.ts'
import { readSort, sortText } from '../../table/columns.ts'
import { LongTable } from '../../table/long-table.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { modelColumns } from './columns.tsx'
import { isWanted, type ModelRow, rowOf } from './facts.ts'
import { ModelsFilters, NO_FILTERS } from './filters.tsx'
import { comparedOf, MODEL_FILTERS, MOST_COMPARED, type ModelFilters, type ModelsSearch } from './search.ts'

const ModelPanel = lazy(() => import('./panel.tsx').then(({ ModelPanel: component }) => ({ default: component })))
const Compared = lazy(() => import('./compared.tsx').then(({ Compared: component }) => ({ default: component })))

/** What can be called, what it costs, and who serves it. */
export function ModelsPage() {
  const { row, compare } = useSearch({ from: '/within/models' })
  const change = useChangeSearch<ModelsSearch>()
  const query = useQuery(modelsQuery)
  const rows = useMemo(() => (query.data?.items ?? []).map(rowOf), [query.data])
  const compared = comparedOf(compare)
  const setCompared = (ids: readonly string[]): void => change({ compare: ids.length > 0 ? ids.join(',') : undefined })
  return (
    <Page
      isWide
      title="Models and prices"
      lead="In dollars per million tokens, of the cheapest who serves it. What nobody knows is said to be unknown, and is never taken for nothing."
      peek={
        row !== undefined && (
          <ModelPeek
            id={row}
            of={rows.find(({ id }) => id === row)}
            isLoading={query.data === undefined}
            compared={compared}
            onCompared={setCompared}
            onClose={() => change({ row: undefined })}
          />
        )
      }
    >
      <Loaded query={query} rows={12}>
        {() =>
          rows.length === 0 ? (
            <Empty title="No model can be called." command="headgate doctor">
              <p>
                No provider is enabled. Set the key of one, as OPENAI_API_KEY, and start the gateway again; the page of
                providers names all variables.
              </p>
            </Empty>
          ) : (
            <ModelList rows={rows} compared={compared} onCompared={setCompared} />
          )
        }
      </Loaded>
    </Page>
  )
}

interface ComparedProps {
  /** Ids of the models that are compared. */
  readonly compared: readonly string[]
  onCompared(ids: readonly string[]): void
}

interface ModelPeekProps extends ComparedProps {
  readonly id: string
  readonly of: ModelRow | undefined
  readonly isLoading: boolean
  onClose(): void
}

function ModelPeek({ compared, onCompared, ...panel }: ModelPeekProps) {
  const { id, of, onClose } = panel
  const isCompared = compared.includes(id)
  const toggle = (): void => onCompared(isCompared ? compared.filter((one) => one !== id) : [...compared, id])
  const canToggle = isCompared || (compared.length < MOST_COMPARED && of !== undefined)
  return (
    <Suspense fallback={<PeekPending of={id} title={id} onClose={onClose} />}>
      <ModelPanel {...panel} isCompared={isCompared} onCompare={canToggle ? toggle : undefined} />
    </Suspense>
  )
}

/** Models that match the filters, and those that are compared above them. */
function ModelList({ rows, compared, onCompared }: ComparedProps & { readonly rows: readonly ModelRow[] }) {
  const search = useSearch({ from: '/within/models' })
  const { row, sort } = search
  const change = useChangeSearch<ModelsSearch>()
  const filters: ModelFilters = Object.fromEntries(
    Object.keys(MODEL_FILTERS).map((name) => [name, search[name as keyof ModelFilters]]),
  )
  const shown = rows.filter((one) => isWanted(one, filters))
  const families = useMemo(() => [...new Set(rows.flatMap((one) => one.families))].toSorted(), [rows])
  const providers = useMemo(() => [...new Set(rows.flatMap((one) => one.providers))].toSorted(), [rows])
  return (
    <>
      <ModelsFilters filters={filters} families={families} providers={providers} onChange={change} />
      {compared.length > 0 && (
        <Suspense fallback={<Skeleton rows={13} />}>
          <Compared
            rows={compared.map((id) => rows.find((one) => one.id === id)).filter((one) => one !== undefined)}
            onChange={onCompared}
          />
        </Suspense>
      )}
      <p role="status" className="mb-2 text-small text-muted">
        {shown.length < rows.length && `${shown.length} of `}
        {counted(rows.length, 'model')}
      </p>
      {shown.length === 0 ? (
        <Empty title="No models match." action={<Button onClick={() => change(NO_FILTERS)}>Show all models</Button>} />
      ) : (
        <LongTable
          label="Models"
          columns={modelColumns(row !== undefined)}
          rows={shown}
          idOf={({ id }: ModelRow) => id}
          linkOf={({ id }) => ({ to: '/models', search: { ...search, row: id } })}
          open={row}
          sort={readSort(sort)}
          onSort={(next) => change({ sort: sortText(next) })}
        />
      )}
    </>
  )
}
