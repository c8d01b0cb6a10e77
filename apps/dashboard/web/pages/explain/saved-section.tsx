import type { ExplainAnswer } from '../../api/spend.ts'
import { Section } from '../../components/page.tsx'
import { Tokens } from '../../components/values.tsx'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'

type Saved = ExplainAnswer['saved'][number]

const COLUMNS: readonly TableColumn<Saved>[] = [
  { id: 'provider', title: 'Failed provider', isName: true, cell: ({ provider }) => provider },
  { id: 'failure', title: LABELS.failure, cell: ({ failure }) => failure },
  { id: 'served', title: 'Served by', from: 'sm', cell: ({ served }) => served },
  {
    id: 'requests',
    title: LABELS.requests,
    width: '6rem',
    isNumber: true,
    cell: ({ requests }) => <Tokens value={requests} />,
  },
]

/** Requests that were served although a call failed. */
export function SavedSection({ saved }: { readonly saved: readonly Saved[] }) {
  return (
    <Section title="Requests saved by failover">
      {saved.length === 0 ? (
        <p className="text-muted">No request needed failover.</p>
      ) : (
        <Table
          label="Requests saved by failover"
          columns={COLUMNS}
          rows={saved}
          idOf={({ provider, failure, served }) => `${provider} ${failure} ${served}`}
          linkOf={({ served }) => ({ to: '/requests', search: { outcome: 'failed-over', provider: served } })}
        />
      )}
    </Section>
  )
}
