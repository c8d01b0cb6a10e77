import { Chip } from '../../../components/chip.tsx'
import { Time } from '../../../components/values.tsx'
import { LABELS } from '../../../labels.ts'
import type { TableColumn } from '../../../table/columns.ts'
import { type AuditLogEntry, actorName } from './audit.ts'
import { changesOf, changeText } from './changes.ts'
import { sentenceOf } from './sentences.ts'

/** Columns of the log. @param isNarrow true if a panel is open */
export function auditColumns(
  names: ReadonlyMap<string, string>,
  isNarrow: boolean,
): readonly TableColumn<AuditLogEntry>[] {
  const wide: TableColumn<AuditLogEntry>[] = [
    { id: 'change', title: 'Changes', from: 'lg', cell: (entry) => <ChangesOf of={entry} /> },
    {
      id: 'address',
      title: LABELS.address,
      from: 'xl',
      width: '9rem',
      cell: ({ address }) => address ?? <span className="text-muted">{LABELS.none}</span>,
    },
  ]
  return [
    { id: 'time', title: LABELS.time, width: 'clamp(5.5rem, 16vw, 8rem)', cell: ({ at }) => <Time at={at} /> },
    {
      id: 'action',
      title: 'Action',
      isName: true,
      width: isNarrow ? '50%' : undefined,
      cell: (entry) => (
        <span title={entry.action}>
          {sentenceOf(entry, names)} {entry.result !== 'done' && <Chip tone="warn">{entry.result}</Chip>}
        </span>
      ),
    },
    {
      id: 'actor',
      title: 'Actor',
      width: isNarrow ? undefined : 'clamp(6rem, 22vw, 12rem)',
      cell: (entry) => <span title={entry.actor.id}>{actorName(entry, names)}</span>,
    },
    ...(isNarrow ? [] : wide),
  ]
}

function ChangesOf({ of }: { readonly of: AuditLogEntry }) {
  const text = changesOf(of).map(changeText).join(' · ')
  return <span title={text}>{text}</span>
}
