import { duration } from '../../formats/durations.ts'
import type { Column } from '../../table/columns.ts'
import type { ModelRow } from './facts.ts'
import { Failures, Rate, Size, Unknown, Words } from './values.tsx'

const COLUMNS: readonly Column<ModelRow>[] = [
  { id: 'id', title: 'Model', isName: true, sortBy: ({ id }) => id, cell: ({ id }) => id },
  {
    id: 'providers',
    title: 'Served by',
    width: 'clamp(6rem, 11vw, 11rem)',
    from: 'sm',
    sortBy: ({ providers }) => providers[0] ?? null,
    cell: ({ providers }) => <Words all={providers} none="nobody" />,
  },
  {
    id: 'input',
    title: 'In / M',
    width: 'clamp(4.5rem, 12vw, 6rem)',
    isNumber: true,
    isDescending: false,
    sortBy: ({ input }) => input ?? null,
    cell: ({ input }) => <Rate nanos={input} />,
  },
  {
    id: 'output',
    title: 'Out / M',
    width: 'clamp(4.5rem, 12vw, 6rem)',
    isNumber: true,
    isDescending: false,
    sortBy: ({ output }) => output ?? null,
    cell: ({ output }) => <Rate nanos={output} />,
  },
]

/** Columns that are left out where a row is open next to the list. */
const WIDE_COLUMNS: readonly Column<ModelRow>[] = [
  {
    id: 'cached',
    title: 'Cached / M',
    width: '6.5rem',
    from: 'xl',
    isNumber: true,
    isDescending: false,
    sortBy: ({ cached }) => cached ?? null,
    cell: ({ cached }) => <Rate nanos={cached} />,
  },
  {
    id: 'context',
    title: 'Context',
    width: '6rem',
    from: 'md',
    isNumber: true,
    sortBy: ({ context }) => context ?? null,
    cell: ({ context }) => <Size tokens={context} />,
  },
  {
    id: 'longest',
    title: 'Output',
    width: '5rem',
    from: 'xl',
    isNumber: true,
    sortBy: ({ longest }) => longest ?? null,
    cell: ({ longest }) => <Size tokens={longest} />,
  },
  {
    id: 'takes',
    title: 'Takes beside text',
    width: '9.5rem',
    from: 'lg',
    cell: ({ takes }) => <Words all={takes} none="text alone" />,
  },
  {
    id: 'can',
    title: 'Can',
    width: '8.5rem',
    from: 'xl',
    cell: ({ tools, reasoning }) =>
      tools === undefined && reasoning === undefined ? (
        <Unknown />
      ) : (
        <Words all={[...(tools ? ['tools'] : []), ...(reasoning ? ['reasoning'] : [])]} />
      ),
  },
  {
    id: 'speaks',
    title: 'Speaks natively',
    width: '11rem',
    from: 'xl',
    cell: ({ formats }) => <Words all={formats.length > 0 ? formats : undefined} />,
  },
  {
    id: 'first',
    title: 'First byte',
    width: '6rem',
    from: 'lg',
    isNumber: true,
    isDescending: false,
    sortBy: ({ firstByte }) => firstByte ?? null,
    cell: ({ firstByte }) => (firstByte === undefined ? <Unknown /> : duration(firstByte)),
  },
  {
    id: 'failures',
    title: 'Failed',
    width: '6rem',
    from: 'lg',
    isNumber: true,
    sortBy: ({ requests, failures }) => (requests === 0 ? null : failures / requests),
    cell: ({ requests, failures }) => <Failures requests={requests} failures={failures} />,
  },
]

/** Columns of the list. @param isNarrow whether a row is open next to it. */
export function modelColumns(isNarrow: boolean): readonly Column<ModelRow>[] {
  return isNarrow ? COLUMNS : [...COLUMNS, ...WIDE_COLUMNS]
}
