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
import { comparedOf, MAX_COMPARED, MODEL_FILTERS, type ModelFilters, type ModelsSearch } from './search.ts'

const ModelPanel = lazy(() => import('./panel.tsx').then(({ ModelPanel: component }) => ({ default: component })))
const ModelComparison = lazy(() =>
  import('./comparison.tsx').then(({ ModelComparison: component }) => ({ default: component })),
)

/** List of models with prices and providers. */
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
      lead="Cheapest provider's price per million tokens. “Unknown” is never counted as free."
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
            <Empty title="No models available" command="headgate doctor">
              <p>
                No provider is enabled. Set an API key such as OPENAI_API_KEY and restart the gateway. The Providers
                page lists all variables.
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

interface ComparisonState {
  /** IDs of the compared models. */
  readonly compared: readonly string[]
  onCompared(ids: readonly string[]): void
}

interface ModelPeekProps extends ComparisonState {
  readonly id: string
  readonly of: ModelRow | undefined
  readonly isLoading: boolean
  onClose(): void
}

function ModelPeek({ compared, onCompared, ...panel }: ModelPeekProps) {
  const { id, of, onClose } = panel
  const isCompared = compared.includes(id)
  const toggle = (): void => onCompared(isCompared ? compared.filter((one) => one !== id) : [...compared, id])
  const canToggle = isCompared || (compared.length < MAX_COMPARED && of !== undefined)
  return (
    <Suspense fallback={<PeekPending of={id} title={id} onClose={onClose} />}>
      <ModelPanel {...panel} isCompared={isCompared} onCompare={canToggle ? toggle : undefined} />
    </Suspense>
  )
}

/** Models that match the filters, below the comparison. */
function ModelList({ rows, compared, onCompared }: ComparisonState & { readonly rows: readonly ModelRow[] }) {
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
          <ModelComparison
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
        <Empty
          title="No matching models"
          action={<Button onClick={() => change(NO_FILTERS)}>Show all models</Button>}
        />
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
