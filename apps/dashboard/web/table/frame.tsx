import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { BASE_PATH } from '../app/base.ts'
import { classes } from '../components/classes.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { nextSort, type Sort, type TableColumn } from './columns.ts'

const HIDDEN = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const

/** Indexes of the rendered rows, and the height of the others in pixels. */
export interface VisibleRows {
  readonly shown: readonly number[]
  readonly above: number
  readonly below: number
}

export type UseShown = (count: number, body: RefObject<HTMLTableSectionElement | null>) => VisibleRows

export interface TableProps<Row extends object> {
  /** Name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  idOf(row: Row): string
  /** Link of a row. The whole row is clickable. */
  linkOf?(row: Row): LinkProps
  /** ID of the open row. */
  readonly open?: string | undefined
  readonly sort?: Sort | undefined
  onSort?(sort: Sort): void
  /** Total number of rows, if not all are loaded. */
  readonly total?: number | undefined
  /** Content below the last row, such as a button for more rows. */
  readonly end?: ReactNode
}

/** Table with keyboard navigation: `j` and `k` move between rows. */
export function TableFrame<Row extends object>({
  useShown,
  ...props
}: TableProps<Row> & { readonly useShown: UseShown }) {
  const { label, columns, rows, idOf, open, sort, onSort, total, end } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const { shown, above, below } = useShown(rows.length, body)

  const move = (by: number): void => {
    const links = linksIn(body.current)
    const at = links.findIndex(
      (link) => link === document.activeElement || (link.dataset['row'] === open && open !== undefined),
    )
    const next = links[at < 0 ? 0 : at + by]
    if (!next) return
    next.focus()
    if (open !== undefined) next.click()
  }
  useShortcut('j', 'Next row', () => move(1))
  useShortcut('k', 'Previous row', () => move(-1))

  return (
    <>
      <table
        className="w-full table-fixed border-collapse text-small"
        aria-label={label}
        aria-rowcount={(total ?? rows.length) + 1}
      >
        <thead className="sticky top-(--bar) z-10 bg-bg">
          <tr className="border-b border-line" aria-rowindex={1}>
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {above > 0 && <Space height={above} />}
          {shown.map((index) => {
            const row = rows[index]
            return row && <BodyRow key={idOf(row)} id={idOf(row)} row={row} index={index} {...props} />
          })}
          {below > 0 && <Space height={below} />}
        </tbody>
      </table>
      {end}
    </>
  )
}

/** Returns whether a link stays on the current page, which then keeps its scroll position. */
function isHere(to: string): boolean {
  return location.pathname === `${BASE_PATH}${to}`
}

function linksIn(body: HTMLElement | null): readonly HTMLElement[] {
  return [...(body?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
}

/** Space of rows that are not rendered. */
function Space({ height }: { readonly height: number }) {
  return (
    <tr aria-hidden style={{ height }}>
      <td />
    </tr>
  )
}

function HeadCell<Row>({
  column,
  sort,
  onSort,
}: {
  column: TableColumn<Row>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}) {
  const { id, title, isTitleHidden, isNumber, width, from } = column
  const isSorted = sort?.id === id
  const Arrow = sort?.isDescending ? ArrowDown : ArrowUp
  const canSort = column.sortBy !== undefined && onSort !== undefined
  return (
    <th
      scope="col"
      style={{ width }}
      aria-sort={isSorted ? (sort?.isDescending ? 'descending' : 'ascending') : undefined}
      className={classes(
        'h-(--row) truncate px-2 font-medium text-muted',
        isNumber ? 'text-right' : 'text-left',
        from && HIDDEN[from],
      )}
    >
      {canSort ? (
        <button
          type="button"
          className="inline-flex min-h-6 items-center gap-1 hover:text-text"
          onClick={() => onSort(nextSort(sort, column))}
        >
          {title}
          {isSorted && <Arrow aria-hidden size={12} />}
        </button>
      ) : (
        <span className={classes(isTitleHidden && 'sr-only')}>{title}</span>
      )}
    </th>
  )
}

interface BodyRowProps<Row extends object> extends Pick<TableProps<Row>, 'columns' | 'linkOf' | 'open'> {
  readonly id: string
  readonly row: Row
  readonly index: number
}

function BodyRow<Row extends object>({ id, row, index, columns, linkOf, open }: BodyRowProps<Row>) {
  const isOpen = open === id
  const link = linkOf?.(row)
  const named = Math.max(
    0,
    columns.findIndex(({ isName }) => isName),
  )
  return (
    <tr
      aria-rowindex={index + 2}
      aria-current={isOpen || undefined}
      className={classes('relative h-(--row) border-b border-line', link && 'hover:bg-sunken', isOpen && 'bg-sunken')}
    >
      {columns.map((column, place) => {
        const { isNumber, from, isName } = column
        const content = column.cell(row)
        const isLink = link && place === named
        const Cell = isName ? 'th' : 'td'
        return (
          <Cell
            key={column.id}
            scope={isName ? 'row' : undefined}
            className={classes('truncate px-2 font-normal', isNumber ? 'number' : 'text-left', from && HIDDEN[from])}
          >
            {isLink ? (
              <Link
                resetScroll={link.to === undefined || !isHere(link.to)}
                {...link}
                data-row={id}
                className="py-1.5 outline-offset-[-2px] after:absolute after:inset-0"
              >
                {content}
              </Link>
            ) : (
              content
            )}
          </Cell>
        )
      })}
    </tr>
  )
}
