import { duration } from '../../formats/durations.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import type { ModelRow } from './facts.ts'
import { Failures, NameList, Rate, Size, Unknown } from './values.tsx'

const COLUMNS: readonly TableColumn<ModelRow>[] = [
  { id: 'id', title: LABELS.model, isName: true, sortBy: ({ id }) => id, cell: ({ id }) => id },
  {
    id: 'providers',
    title: LABELS.providers,
    width: 'clamp(6rem, 11vw, 11rem)',
    from: 'sm',
    sortBy: ({ providers }) => providers[0] ?? null,
    cell: ({ providers }) => <NameList all={providers} />,
  },
  {
    id: 'input',
    title: 'Input $/M',
    width: 'clamp(4.5rem, 12vw, 6rem)',
    isNumber: true,
    isDescending: false,
    sortBy: ({ input }) => input ?? null,
    cell: ({ input }) => <Rate nanos={input} />,
  },
  {
    id: 'output',
    title: 'Output $/M',
    width: 'clamp(4.5rem, 12vw, 6rem)',
    isNumber: true,
    isDescending: false,
    sortBy: ({ output }) => output ?? null,
    cell: ({ output }) => <Rate nanos={output} />,
  },
]

/** Columns that are hidden while a panel is open. */
const WIDE_COLUMNS: readonly TableColumn<ModelRow>[] = [
  {
    id: 'cached',
    title: 'Cached $/M',
    width: '6.5rem',
    from: 'xl',
    isNumber: true,
    isDescending: false,
    sortBy: ({ cached }) => cached ?? null,
    cell: ({ cached }) => <Rate nanos={cached} />,
  },
  {
    id: 'context',
    title: LABELS.context,
    width: '6rem',
    from: 'md',
    isNumber: true,
    sortBy: ({ context }) => context ?? null,
    cell: ({ context }) => <Size tokens={context} />,
  },
  {
    id: 'longest',
    title: LABELS.maxOutput,
    width: '6.5rem',
    from: 'xl',
    isNumber: true,
    sortBy: ({ longest }) => longest ?? null,
    cell: ({ longest }) => <Size tokens={longest} />,
  },
  {
    id: 'takes',
    title: LABELS.inputs,
    width: '9.5rem',
    from: 'lg',
    cell: ({ takes }) => <NameList all={takes} none="text only" />,
  },
  {
    id: 'can',
    title: 'Capabilities',
    width: '8.5rem',
    from: 'xl',
    cell: ({ tools, reasoning }) =>
      tools === undefined && reasoning === undefined ? (
        <Unknown />
      ) : (
        <NameList all={[...(tools ? ['tools'] : []), ...(reasoning ? ['reasoning'] : [])]} />
      ),
  },
  {
    id: 'speaks',
    title: LABELS.formats,
    width: '11rem',
    from: 'xl',
    cell: ({ formats }) => <NameList all={formats.length > 0 ? formats : undefined} />,
  },
  {
    id: 'first',
    title: LABELS.ttft,
    width: '6rem',
    from: 'lg',
    isNumber: true,
    isDescending: false,
    sortBy: ({ firstByte }) => firstByte ?? null,
    cell: ({ firstByte }) => (firstByte === undefined ? <Unknown /> : duration(firstByte)),
  },
  {
    id: 'failures',
    title: LABELS.failures,
    width: '6rem',
    from: 'lg',
    isNumber: true,
    sortBy: ({ requests, failures }) => (requests === 0 ? null : failures / requests),
    cell: ({ requests, failures }) => <Failures requests={requests} failures={failures} />,
  },
]

/** Columns of the list. @param isNarrow true if a panel is open */
export function modelColumns(isNarrow: boolean): readonly TableColumn<ModelRow>[] {
  return isNarrow ? COLUMNS : [...COLUMNS, ...WIDE_COLUMNS]
}
