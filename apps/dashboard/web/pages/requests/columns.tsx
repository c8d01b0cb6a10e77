import type { UsageRow } from '../../api/usage.ts'
import { OutcomeChip } from '../../components/chip.tsx'
import { Duration, Money, Time, Tokens } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import type { Column } from '../../table/columns.ts'
import { unknownAmount } from './billing.ts'

/**
 * What a row of the list says. @param keys names of keys by their ids. @param isNarrow whether one of the rows is open
 * beside it.
 */
export function requestColumns(keys: ReadonlyMap<string, string>, isNarrow: boolean): readonly Column<UsageRow>[] {
  const wide: Column<UsageRow>[] = [
    {
      id: 'key',
      title: 'Key',
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
      title: 'First byte / all',
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
    { id: 'at', title: 'Time', width: 'clamp(4.5rem, 18vw, 8.75rem)', cell: ({ at }) => <Time at={at} /> },
    { id: 'status', title: 'Status', width: 'clamp(3.5rem, 12vw, 5rem)', cell: (row) => <OutcomeChip row={row} /> },
    {
      id: 'model',
      title: 'Model',
      isName: true,
      cell: ({ model, provider, losses }) => (
        <>
          {model} <span className="text-muted">→ {provider}</span>
          {losses.length > 0 && <span className="text-warn"> · {losses.length} lost</span>}
        </>
      ),
    },
    ...(isNarrow ? [] : wide),
    {
      id: 'cost',
      title: 'Cost',
      width: 'clamp(5.75rem, 20vw, 6.5rem)',
      isNumber: true,
      cell: ({ charged, why }) => <Money nanos={charged} unknown={unknownAmount(why)} />,
    },
  ]
}
