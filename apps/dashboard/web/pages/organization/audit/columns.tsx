import { Chip } from '../../../components/chip.tsx'
import { Time } from '../../../components/values.tsx'
import type { Column } from '../../../table/columns.ts'
import { type AuditEntry, actorName } from './audit.ts'
import { changesOf, changeText } from './changes.ts'

/** What a row of the log says. @param isNarrow whether one of the rows is open beside it. */
export function auditColumns(names: ReadonlyMap<string, string>, isNarrow: boolean): readonly Column<AuditEntry>[] {
  const wide: Column<AuditEntry>[] = [
    {
      id: 'target',
      title: 'To',
      from: 'md',
      width: '13rem',
      cell: ({ target }) => target !== undefined && <span title={target}>{names.get(target) ?? target}</span>,
    },
    { id: 'change', title: 'What changed', from: 'lg', cell: (entry) => <ChangesOf of={entry} /> },
    {
      id: 'address',
      title: 'Address',
      from: 'xl',
      width: '9rem',
      cell: ({ address }) => address ?? <span className="text-muted">none</span>,
    },
  ]
  return [
    { id: 'time', title: 'When', width: 'clamp(5.5rem, 16vw, 8rem)', cell: ({ at }) => <Time at={at} /> },
    {
      id: 'action',
      title: 'Action',
      isName: true,
      width: isNarrow ? '50%' : 'clamp(8rem, 30vw, 13rem)',
      cell: ({ action, result }) => (
        <span title={action}>
          <span className="font-mono">{action}</span> {result !== 'done' && <Chip tone="warn">{result}</Chip>}
        </span>
      ),
    },
    {
      id: 'actor',
      title: 'By',
      width: isNarrow ? undefined : 'clamp(6rem, 22vw, 12rem)',
      cell: (entry) => <span title={entry.actor.id}>{actorName(entry, names)}</span>,
    },
    ...(isNarrow ? [] : wide),
  ]
}

function ChangesOf({ of }: { readonly of: AuditEntry }) {
  const text = changesOf(of).map(changeText).join(' · ')
  return <span title={text}>{text}</span>
}
