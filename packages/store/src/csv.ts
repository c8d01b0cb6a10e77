/** Cell of a CSV file. */
export type Cell = string | number | boolean | null | undefined

const LINE_END = '\r\n'
/** Beginnings that a spreadsheet interprets as a formula, also in full width. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
const NUMBER = /^[+-]?\d+(\.\d+)?$/

/**
 * Line of comma-separated values (RFC 4180). Cells that a spreadsheet could interpret as a formula get a `'` in front.
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
