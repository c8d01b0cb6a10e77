import type { Readable } from 'node:stream'

/**
 * Hands on what a process writes, in whole lines, so that those of several do not mix. Half a line that a killed one
 * leaves is dropped.
 */
export function handOnLines(source: Readable, write: (lines: string) => void): void {
  let rest = ''
  source.setEncoding('utf8').on('data', (piece: string) => {
    const end = piece.lastIndexOf('\n') + 1
    if (end > 0) {
      write(rest + piece.slice(0, end))
      rest = ''
    }
    rest += piece.slice(end)
  })
}
