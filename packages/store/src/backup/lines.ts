import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { HeadgateError } from '@headgate/gateway/ports'
import type { RowValues } from '../database/bulk.ts'
import { type StoreSchema, type Table, type TableMap, tablesOf, versionOf } from '../schema/declare.ts'

/** First line, to which the versions of the schemas are added. The version is the version of this format. */
const HEAD = { headgate: 'store', version: 1 } as const

/** Rows of one table. */
export interface TableRows {
  readonly name: string
  readonly table: Table
  readonly rows: readonly RowValues[]
}

/**
 * Writes rows as lines of JSON: a line with the column names before each table, one line per row, and a last line with
 * the number of rows. 64-bit integers are decimal strings, bytes are base64. The file must exist and be empty.
 */
export async function writeLines(
  file: string,
  schemas: readonly StoreSchema[],
  tables: AsyncIterable<TableRows>,
): Promise<number> {
  const stream = createWriteStream(file, { flags: 'r+' })
  const write = async (lines: readonly unknown[]) => {
    if (!stream.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))) await once(stream, 'drain')
  }
  try {
    await once(stream, 'open')
    const versions = Object.fromEntries(schemas.map((schema) => [schema.name, versionOf(schema)]))
    await write([{ ...HEAD, schemas: versions }])
    let [count, current] = [0, '']
    for await (const { name, table, rows } of tables) {
      if (name !== current) await write([{ table: name, columns: Object.keys(table.columns) }])
      await write(
        rows.map((row) =>
          row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : plain(value))),
        ),
      )
      current = name
      count += rows.length
    }
    await write([{ rows: count }])
    stream.end()
    await once(stream, 'finish')
    return count
  } finally {
    stream.destroy()
  }
}

/**
 * Reads the lines of `writeLines`, in pages.
 * @throws HeadgateError `invalid-request` for a file in another format, or a truncated one
 */
export async function* readLines(
  file: string,
  schemas: readonly StoreSchema[],
  pageSize = 1_000,
): AsyncGenerator<TableRows> {
  const tables = tablesOf(schemas)
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  let name: string | undefined
  let columns: readonly string[] = []
  let rows: unknown[][] = []
  let [count, line] = [0, 0]
  let isWhole = false
  const page = (one: string): TableRows => {
    const table = tables[one] as Table
    return { name: one, table, rows: rows.map((values) => rowOf(table, columns, values)) }
  }
  for await (const text of lines) {
    line += 1
    const value = parse(file, line, text)
    if (line === 1) checkHead(file, value, schemas)
    else if (Array.isArray(value) && name !== undefined) {
      rows.push(value)
      count += 1
    } else if (isWhole) throw broken(file, line)
    else {
      if (name !== undefined && rows.length > 0) yield page(name)
      rows = []
      isWhole = Object(value).rows === count
      name = isWhole ? undefined : nameIn(file, line, value, tables)
      columns = isWhole ? [] : Object(value).columns
    }
    if (name !== undefined && rows.length === pageSize) {
      yield page(name)
      rows = []
    }
  }
  if (!isWhole)
    throw new HeadgateError(
      'invalid-request',
      `${file} is incomplete: its last line is missing. Restore another backup.`,
    )
}

function plain(value: RowValues[number]): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function rowOf(table: Table, columns: readonly string[], values: readonly unknown[]): RowValues {
  return Object.entries(table.columns).map(([name, { kind }]) => {
    const value = values[columns.indexOf(name)]
    if (value === null || value === undefined) return null
    if (kind === 'bytes') return Buffer.from(String(value), 'base64')
    return kind === 'int' ? BigInt(String(value)) : String(value)
  })
}

function nameIn(file: string, line: number, value: unknown, tables: TableMap): string {
  const { table: name, columns } = Object(value)
  if (!Object.hasOwn(tables, name) || !Array.isArray(columns)) throw broken(file, line)
  return name
}

function checkHead(file: string, value: unknown, schemas: readonly StoreSchema[]): void {
  const { headgate, version, schemas: versions } = Object(value)
  if (headgate !== HEAD.headgate) throw new HeadgateError('invalid-request', `${file} is not a Headgate backup.`)
  if (version !== HEAD.version)
    throw new HeadgateError(
      'invalid-request',
      `${file} was written by a newer headgate (backup version ${version}). Update headgate.`,
    )
  for (const schema of schemas) {
    const [written = 0, known] = [Object(versions)[schema.name], versionOf(schema)]
    if (Number(written) > known)
      throw new HeadgateError(
        'invalid-request',
        `${file} was written by a newer headgate (version ${written} of \`${schema.name}\`, this one knows ${known}). Update headgate.`,
      )
  }
}

function parse(file: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (line === 1) throw new HeadgateError('invalid-request', `${file} is not a Headgate backup.`)
    throw broken(file, line)
  }
}

function broken(file: string, line: number): HeadgateError {
  return new HeadgateError('invalid-request', `Line ${line} of ${file} cannot be read. Restore another backup.`)
}
