/** What a cell of a file of comma-separated values holds. */
export type Cell = string | number | boolean | null | undefined

const LINE_END = '\r\n'
/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^[+-]?\d+(\.\d+)?$/

/**
 * A line of comma-separated values (RFC 4180). No cell is a formula to a spreadsheet: one that begins like one gets a
 * `'` in front.
 */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(written).join() + LINE_END
}

function written(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
