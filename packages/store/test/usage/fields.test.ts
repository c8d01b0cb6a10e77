import { describe, expect, it } from 'vitest'
import { createTable } from '../../src/schema/statements.ts'
import { TABLES } from '../../src/schema/tables.ts'
import { MEASURES, UNITS } from '../../src/schema/usage.ts'
import { csvHead } from '../../src/usage/export.ts'
import { cellsOf, columnName, columnsOf, fieldOf, readerOf, writerOf } from '../../src/usage/field.ts'
import { USAGE_FIELDS } from '../../src/usage/fields.ts'
import { MONEY } from '../../src/usage/kinds.ts'
import type { LedgerRow } from '../../src/usage/row.ts'
import { usageValues } from '../../src/usage/values.ts'
import { ledgerRow } from '../support/rows.ts'

const declare = fieldOf<LedgerRow>()

describe('A field of usage rows', () => {
  it('has its column, values and cells from its declaration alone', () => {
    const fields = { ...USAGE_FIELDS, netCost: declare(MONEY, ({ cost }) => cost, 'Cost without taxes.') }
    const columns = columnsOf(fields)
    expect(columns.net_cost).toEqual({ kind: 'int', null: true })
    expect(createTable('postgres', 'rows', { columns, key: ['id'] })[0]).toContain('id uuid NOT NULL, net_cost int8')

    const values = writerOf(fields, 0)(ledgerRow(1, { cost: 1_500 }))
    const names = Object.keys(columns)
    expect(values[names.indexOf('net_cost')]).toBe(1_500)

    const stored = readerOf(fields)({ ...selected(columns), net_cost: 1_500n })
    // The compiler knows the type of the new field.
    const netCost: string | null = stored.netCost
    expect(netCost).toBe('1500')

    const cells = cellsOf(fields).map(([name, cell]) => [name, cell(stored)])
    expect(cells).toContainEqual(['net_cost', '0.0000015'])
  })

  it('is in the table, in the values of a row and in exports, in this order', () => {
    const columns = Object.keys(USAGE_FIELDS).map(columnName)
    expect(Object.keys(TABLES.usage.columns)).toEqual(['group_id', ...columns])
    expect(usageValues(ledgerRow(1), 0n)).toHaveLength(columns.length + 1)
    const head = csvHead().trim().split(',')
    const owners = ['key_name', 'project', 'project_name', 'environment', 'member', 'member_name']
    expect(head.filter((name) => !owners.includes(name))).toEqual(
      Object.entries(USAGE_FIELDS).map(([name, { csv }]) => csv ?? columnName(name)),
    )
  })

  it('is summed up where a measure has its name', () => {
    const others: readonly string[] = ['requests', 'unpriced', 'usage_unknown', ...UNITS]
    const columns = Object.keys(USAGE_FIELDS).map(columnName)
    expect(columns).toEqual(expect.arrayContaining(MEASURES.filter((name) => !others.includes(name))))
  })
})

/** A row of a table as a query returns it, with a value in every column that needs one. */
function selected<Name extends string>(
  columns: Readonly<Record<Name, { kind: string; null: boolean }>>,
): Record<Name, unknown> {
  const values = Object.entries<{ kind: string; null: boolean }>(columns).map(([name, column]) => {
    if (column.null) return [name, null]
    return [name, column.kind === 'int' ? 1n : 'text']
  })
  return Object.fromEntries(values) as Record<Name, unknown>
}
