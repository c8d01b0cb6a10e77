import type { ExplainAnswer } from '../../api/spend.ts'
import { Section } from '../../components/page.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { percent } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'

type Cache = ExplainAnswer['caches'][number]

const COLUMNS: readonly TableColumn<Cache>[] = [
  { id: 'model', title: LABELS.model, isName: true, cell: ({ model }) => model },
  { id: 'provider', title: LABELS.provider, from: 'sm', cell: ({ provider }) => provider },
  {
    id: 'share',
    title: 'Cached input',
    width: '8rem',
    isNumber: true,
    cell: ({ input, cacheRead }) => percent(input === 0 ? 0 : cacheRead / input),
  },
  {
    id: 'reads',
    title: LABELS.cacheRead,
    width: '7rem',
    from: 'md',
    isNumber: true,
    cell: ({ cacheRead }) => <Tokens value={cacheRead} />,
  },
  {
    id: 'writes',
    title: LABELS.cacheWrite,
    width: '7rem',
    from: 'md',
    isNumber: true,
    cell: ({ cacheWrite }) => <Tokens value={cacheWrite} />,
  },
  {
    id: 'saved',
    title: 'Saved',
    width: '7rem',
    isNumber: true,
    cell: ({ saved }) => <Money nanos={saved} unknown="unknown price" />,
  },
]

/** Money that prompt caches of providers saved: cached input at the price of fresh input, minus what it cost. */
export function CachesSection({ caches }: { readonly caches: readonly Cache[] }) {
  return (
    <Section title="Money saved by caches">
      {caches.length === 0 ? (
        <p className="text-muted">No input was read from a cache.</p>
      ) : (
        <Table
          label="Money saved by caches"
          columns={COLUMNS}
          rows={caches}
          idOf={({ provider, model, requests }) => `${provider} ${model} ${requests}`}
          linkOf={({ provider }) => ({ to: '/requests', search: { provider } })}
        />
      )}
    </Section>
  )
}
