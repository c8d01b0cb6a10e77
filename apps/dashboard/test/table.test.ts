import { describe, expect, it } from 'vitest'
import { sorted, type TableColumn } from '../web/table/columns.ts'

interface Row {
  readonly name: string
  readonly cost: bigint | null
}

const COLUMNS: readonly TableColumn<Row>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name },
  { id: 'cost', title: 'Cost', cell: ({ cost }) => String(cost), sortBy: ({ cost }) => cost },
  { id: 'plain', title: 'Plain', cell: () => '' },
]
const ROWS: readonly Row[] = [
  { name: 'b10', cost: 3n },
  { name: 'a', cost: null },
  { name: 'b9', cost: 20n },
]
const names = (sort?: { id: string; isDescending: boolean }) =>
  sorted({ columns: COLUMNS, rows: ROWS, sort }).map(({ name }) => name)

describe('Rows of a table', () => {
  it('stand as they come, or in the order that is asked for: texts as readers have them, numbers by size', () => {
    expect(names()).toEqual(['b10', 'a', 'b9'])
    expect(names({ id: 'plain', isDescending: false })).toEqual(['b10', 'a', 'b9'])
    expect(names({ id: 'name', isDescending: false })).toEqual(['a', 'b9', 'b10'])
    expect(names({ id: 'name', isDescending: true })).toEqual(['b10', 'b9', 'a'])
  })

  it('stand last where nobody knows, whichever way', () => {
    expect(names({ id: 'cost', isDescending: false })).toEqual(['b10', 'b9', 'a'])
    expect(names({ id: 'cost', isDescending: true })).toEqual(['b9', 'b10', 'a'])
  })
})
