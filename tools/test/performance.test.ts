import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './repository-pages.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replace(/^([\d,]+)$/, (number) => number.replaceAll(',', '')))

/** Microseconds of the whole process in `bench/figures.md`, by scenario and target. */
function measured(): Map<string, string> {
  const tables = [...read('bench/figures.md').matchAll(/^### (.+)\n\n((?:\|.*\n)+)/gm)]
  return new Map(
    tables.flatMap(([, scenario, rows = '']) =>
      rows.split('\n').flatMap((row) => {
        const [target, , , , micros] = cellsOf(row)
        return target && micros && /^\d+$/.test(micros) ? [[`${scenario}: ${target}`, micros] as const] : []
      }),
    ),
  )
}

describe('docs/performance.md', () => {
  it('has the figures that were measured, and no others', () => {
    const figures = measured()
    const [, table = ''] = /## CPU time\n[\s\S]*?\n\n((?:\| .*\n)+)/.exec(read('docs/performance.md')) ?? []
    const rows = table.trim().split('\n').slice(2).map(cellsOf)
    expect(rows.length).toBeGreaterThan(3)
    for (const [scenario, headgate = '', perSecond, floor, portkey = ''] of rows) {
      expect(figures.get(`${scenario}: headgate`)).toBe(headgate)
      expect(figures.get(`${scenario}: floor`)).toBe(floor)
      expect(figures.get(`${scenario}: portkey`) ?? '').toBe(portkey)
      expect(Number(perSecond)).toBe(Math.floor(10_000 / Number(headgate)) * 100)
    }
  })
})
