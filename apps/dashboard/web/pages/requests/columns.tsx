import type { RequestRow } from '../../api/usage.ts'
import { OutcomeChip } from '../../components/chip.tsx'
import { Duration, Money, Time, Tokens } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { unknownAmount } from './outcomes.ts'

/** Columns of the list. @param keys names of keys, by ID @param isNarrow true if a panel is open */
export function requestColumns(
  keys: ReadonlyMap<string, string>,
  isNarrow: boolean,
): readonly TableColumn<RequestRow>[] {
  const wide: TableColumn<RequestRow>[] = [
    {
      id: 'key',
      title: LABELS.key,
      from: 'lg',
      cell: ({ principal }) => <span title={principal}>{keys.get(principal) ?? principal}</span>,
    },
    {
      id: 'tokens',
      title: 'Tokens in / out',
      width: '9rem',
      from: 'md',
      isNumber: true,
      cell: ({ input, output }) => (
        <>
          <Tokens value={input} /> <span className="text-muted">/</span> <Tokens value={output} />
        </>
      ),
    },
    {
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
  ]
  return [
    { id: 'at', title: LABELS.time, width: 'clamp(4.5rem, 18vw, 8.75rem)', cell: ({ at }) => <Time at={at} /> },
    {
      id: 'status',
      title: LABELS.status,
      width: 'clamp(3.5rem, 12vw, 5rem)',
      cell: (row) => <OutcomeChip row={row} />,
    },
    {
      id: 'model',
      title: LABELS.model,
      isName: true,
      cell: ({ model, provider, endpoint, losses }) => (
        <>
          {model} <span className="text-muted">→ {endpoint === null ? provider : `${provider} (${endpoint})`}</span>
          {losses.length > 0 && <span className="text-warn"> · {counted(losses.length, 'field')} lost</span>}
        </>
      ),
    },
    ...(isNarrow ? [] : wide),
    {
      id: 'cost',
      title: LABELS.cost,
      width: 'clamp(5.75rem, 20vw, 6.5rem)',
      isNumber: true,
      cell: ({ charged, why }) => <Money nanos={charged} unknown={unknownAmount(why)} />,
    },
  ]
}
