import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import { type ProviderStatus, variablesOf } from './providers.ts'
import { ProviderState } from './state-chip.tsx'

export interface InstalledProps {
  readonly all: readonly ProviderStatus[]
  readonly now: number
  readonly open: string | undefined
}

/** Installed adapters, with the variables that enable them. */
export function Installed({ all, now, open }: InstalledProps) {
  const columns: readonly TableColumn<ProviderStatus>[] = [
    { id: 'name', title: LABELS.name, isName: true, cell: ({ name }) => name },
    {
      id: 'state',
      title: 'State',
      width: 'clamp(6rem, 16vw, 9rem)',
      cell: (one) => <ProviderState of={one} now={now} />,
    },
    { id: 'kind', title: 'Kind', width: '6rem', from: 'lg', cell: ({ kind }) => kind },
    {
      id: 'package',
      title: 'Package',
      from: 'md',
      cell: ({ package: { name, version } }) => `${name} ${version}`,
    },
    {
      id: 'enables',
      title: 'Enabled by',
      from: 'sm',
      cell: (one) => {
        const [first] = variablesOf(one)
        return first ? (
          <code className="font-mono">{first.name}</code>
        ) : (
          <span className="text-muted">configuration</span>
        )
      },
    },
  ]
  return (
    <Table
      label="Installed adapters"
      columns={columns}
      rows={all.toSorted((one, other) => one.name.localeCompare(other.name))}
      idOf={({ name, kind }: ProviderStatus) => `${kind}/${name}`}
      linkOf={({ name }) => ({ to: '/providers', search: { tab: 'installed', row: name } })}
      open={all.find(({ name }) => name === open) && `${all.find(({ name }) => name === open)?.kind}/${open}`}
    />
  )
}
