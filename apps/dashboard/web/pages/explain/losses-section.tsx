import type { ExplainAnswer } from '../../api/spend.ts'
import { SelectField } from '../../components/field.tsx'
import { Section } from '../../components/page.tsx'
import { Tokens } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import { requestsOf } from '../../usage/groups.ts'
import { useChangeSearch } from '../../view/use-view.ts'
import { type LossRow, lossRows } from './losses.ts'
import { type ExplainSearch, LOSS_GROUPS, type LossGroup } from './search.ts'

const TITLES: Readonly<Record<LossGroup, string>> = { field: 'by field', client: 'by client' }

export interface LossesSectionProps {
  readonly losses: ExplainAnswer['losses']
  readonly by: LossGroup
}

/** Fields that translation dropped or changed, by field or client. */
export function LossesSection({ losses, by }: LossesSectionProps) {
  const change = useChangeSearch<ExplainSearch>()
  return (
    <Section
      title="Lost fields"
      actions={
        <SelectField
          label="Group lost fields"
          isLabelHidden
          value={by}
          onPick={(value) => change({ losses: value }, { replace: true })}
          choices={LOSS_GROUPS.map((value) => ({ value, title: TITLES[value] }))}
        />
      }
    >
      {losses.length === 0 ? (
        <p className="text-muted">No field was lost.</p>
      ) : (
        <Table
          label={`Lost fields ${TITLES[by]}`}
          columns={by === 'field' ? FIELD_COLUMNS : CLIENT_COLUMNS}
          rows={lossRows(losses, by)}
          idOf={({ id }) => id}
          {...(by === 'client' && { linkOf: ({ key }: LossRow) => requestsOf(['key'], [key ?? null]) })}
        />
      )}
    </Section>
  )
}

const REQUESTS: TableColumn<LossRow> = {
  id: 'requests',
  title: LABELS.requests,
  width: '6rem',
  isNumber: true,
  cell: ({ requests }) => <Tokens value={requests} />,
}

const DETAILS = {
  id: 'details',
  from: 'sm',
  cell: ({ details }: LossRow) => <span title={details.join('\n')}>{details.join('; ')}</span>,
} as const

const FIELD_COLUMNS: readonly TableColumn<LossRow>[] = [
  { id: 'name', title: 'Field', isName: true, cell: ({ name }) => <code>{name}</code> },
  { ...DETAILS, title: 'Loss' },
  { id: 'others', title: 'Clients', width: '7rem', from: 'md', cell: ({ others }) => counted(others, 'client') },
  REQUESTS,
]

const CLIENT_COLUMNS: readonly TableColumn<LossRow>[] = [
  { id: 'name', title: LABELS.key, isName: true, cell: ({ name }) => name },
  { id: 'format', title: LABELS.format, width: '10rem', from: 'md', cell: ({ format }) => format },
  { ...DETAILS, title: 'Fields' },
  { ...REQUESTS, title: 'At least', width: '7rem' },
]
