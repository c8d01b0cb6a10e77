import type { ReactNode } from 'react'
import type { RequestRow } from '../../api/usage.ts'
import { EnvironmentChip } from '../../components/chip.tsx'
import { Duration, Time } from '../../components/values.tsx'
import { failureText } from '../../failures.ts'
import { duration } from '../../formats/durations.ts'
import { alignedMoney, exactMoney } from '../../formats/money.ts'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { unknownAmount } from './outcomes.ts'
import { usageText } from './usage-text.ts'

const NONE = <span className="text-muted">–</span>
const orNone = (value: ReactNode): ReactNode => (value === null || value === undefined || value === '' ? NONE : value)
/** Every row has the key of the columns that the API sorts by. */
const BY_SERVER = { isDescending: true, sortBy: () => null } as const

/** Columns of the list, in their order. */
export const COLUMNS: readonly TableColumn<RequestRow>[] = [
  { id: 'at', title: LABELS.time, width: 'clamp(4.5rem, 18vw, 8.75rem)', cell: ({ at }) => <Time at={at} /> },
  {
    id: 'outcome',
    title: LABELS.outcome,
    width: 'clamp(5.5rem, 18vw, 8rem)',
    cell: (row) => <OutcomeMark row={row} />,
  },
  { id: 'model', title: LABELS.model, isName: true, cell: (row) => <ModelCell row={row} /> },
  {
    id: 'reason',
    title: LABELS.reason,
    from: 'lg',
    cell: ({ failure }) => (failure === null ? null : <span title={failure}>{failureText(failure)}</span>),
  },
  {
    id: 'key',
    title: LABELS.key,
    from: 'lg',
    cell: ({ principal, keyName }) => <span title={principal}>{keyName ?? principal}</span>,
  },
  { id: 'project', title: LABELS.project, from: 'lg', cell: (row) => orNone(row.projectName ?? row.project) },
  {
    id: 'environment',
    title: LABELS.environment,
    width: '7rem',
    from: 'lg',
    cell: ({ environment }) => (environment === null ? NONE : <EnvironmentChip name={environment} />),
  },
  { id: 'member', title: LABELS.owner, from: 'lg', cell: (row) => orNone(row.memberName ?? row.member) },
  { id: 'family', title: LABELS.family, width: '7rem', from: 'md', cell: ({ family }) => family },
  { id: 'format', title: LABELS.format, width: '9rem', from: 'lg', cell: ({ format }) => format },
  {
    id: 'stream',
    title: LABELS.streamed,
    width: '5.5rem',
    from: 'lg',
    cell: ({ stream }) => (stream ? 'yes' : <span className="text-muted">no</span>),
  },
  { id: 'endUser', title: LABELS.endUser, from: 'lg', cell: ({ endUser }) => orNone(endUser) },
  { id: 'session', title: LABELS.session, from: 'lg', cell: ({ session }) => orNone(session) },
  { id: 'tags', title: LABELS.tags, from: 'lg', cell: ({ tags }) => orNone(tagsText(tags)) },
  { id: 'finish', title: LABELS.finish, width: '7rem', from: 'lg', cell: ({ finish }) => orNone(finish) },
  { ...BY_SERVER, id: 'usage', title: LABELS.usage, width: '9rem', from: 'md', isNumber: true, cell: UsageCell },
  {
    ...BY_SERVER,
    id: 'time',
    title: `${LABELS.ttft} / total`,
    width: '9.5rem',
    from: 'md',
    isNumber: true,
    cell: ({ firstByteMs, durationMs }) => (
      <>
        {firstByteMs !== null && <span className="text-muted">{duration(firstByteMs)} / </span>}
        <Duration ms={durationMs} />
      </>
    ),
  },
  {
    ...BY_SERVER,
    id: 'cost',
    title: LABELS.cost,
    width: 'clamp(5.75rem, 20vw, 7rem)',
    isNumber: true,
    cell: ({ charged, why, outcome }) =>
      outcome === 'refused' ? (
        NONE
      ) : charged === null ? (
        <span className="text-muted">{unknownAmount(why)}</span>
      ) : (
        <data value={charged} title={exactMoney(charged)}>
          {alignedMoney(charged)}
        </data>
      ),
  },
]

function ModelCell({ row: { model, provider, endpoint, losses } }: { readonly row: RequestRow }) {
  return (
    <>
      {model === '' ? 'no model' : model}
      {provider !== '' && (
        <span className="text-muted"> → {endpoint === null ? provider : `${provider} (${endpoint})`}</span>
      )}
      {losses.length > 0 && <span className="text-warn"> · {counted(losses.length, 'field')} lost</span>}
    </>
  )
}

function UsageCell(row: RequestRow) {
  const usage = usageText(row)
  if (usage === 'none') return NONE
  if (usage === 'unknown') return <span className="text-muted">{LABELS.unknown}</span>
  return <span title={usage.exact}>{usage.text}</span>
}

/** Tags as `team=a, env=b`. */
export function tagsText(tags: RequestRow['tags']): string {
  return Object.entries(tags ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

/** Columns that are visible without a choice. */
export const USUAL_COLUMNS: readonly string[] = ['at', 'outcome', 'model', 'reason', 'key', 'usage', 'time', 'cost']
/** Columns that cannot be hidden: the name of a row opens it. */
const FIXED: readonly string[] = ['model']
/** Columns next to an open panel. */
const NARROW: readonly string[] = ['at', 'outcome', 'model', 'cost']

/** IDs of columns of a parameter, in the order of the table. Default: the usual columns. */
export function readColumns(text: string | undefined): readonly string[] {
  const named = text?.split(',') ?? USUAL_COLUMNS
  const known = COLUMNS.map(({ id }) => id).filter((id) => named.includes(id) || FIXED.includes(id))
  return known.length > FIXED.length ? known : USUAL_COLUMNS
}

/** Parameter for columns; undefined = the usual columns. */
export function writeColumns(ids: readonly string[]): string | undefined {
  const text = readColumns(ids.join(',')).join(',')
  return text === USUAL_COLUMNS.join(',') ? undefined : text
}

/** Columns that a user can hide. */
export const HIDEABLE: readonly Pick<TableColumn<RequestRow>, 'id' | 'title'>[] = COLUMNS.filter(
  ({ id }) => !FIXED.includes(id),
)

/** Columns of the list. @param isNarrow true if a panel is open */
export function requestColumns(ids: readonly string[], isNarrow: boolean): readonly TableColumn<RequestRow>[] {
  return COLUMNS.filter(({ id }) => ids.includes(id) && (!isNarrow || NARROW.includes(id)))
}
