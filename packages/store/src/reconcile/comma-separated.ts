import { HeadgateError } from '@headgate/gateway/ports'

/** Maximum cells of a line in a valid bill. */
const MOST = 1_000

/** Parsed CSV (RFC 4180) with either line end, without empty lines. @throws HeadgateError for an unterminated quote */
export function readCommaSeparated(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; ) {
    const { cell, end } = text[at] === '"' ? quoted(text, at + 1) : plain(text, at)
    if (line.length < MOST) line.push(cell)
    at = end
    if (text[at] === ',') {
      at += 1
      // The last cell of a line may be empty.
      if (at < text.length && text[at] !== '\n' && text[at] !== '\r') continue
      if (line.length < MOST) line.push('')
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    if (line.some((one) => one !== '')) lines.push(line)
    line = []
  }
  return lines
}

function plain(text: string, start: number): { cell: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { cell: text.slice(start, end).trim(), end }
}

function quoted(text: string, start: number): { cell: string; end: number } {
  let cell = ''
  for (let at = start; ; ) {
    const mark = text.indexOf('"', at)
    if (mark < 0) throw new HeadgateError('invalid-request', 'The file is incomplete: it ends within a quoted cell.')
    cell += text.slice(at, mark)
    if (text[mark + 1] !== '"') {
      const rest = plain(text, mark + 1)
      return { cell: cell + rest.cell, end: rest.end }
    }
    cell += '"'
    at = mark + 2
  }
}
