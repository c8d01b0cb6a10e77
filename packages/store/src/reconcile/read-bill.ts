import { HeadgateError, object } from '@headgate/gateway/ports'
import type { Bill, BillLine } from './bill.ts'
import { type BillFormat, type Fields, FORMATS, flat } from './bill-formats.ts'
import { readCommaSeparated } from './comma-separated.ts'

/** How far a header may lie below what else is said in a file. */
const HEADER = 20

/**
 * Reads a vendor's export of usage or costs: the answer of its API, several of them one a line or in a list, or a file
 * of its console.
 * @throws HeadgateError `invalid-request` that says what is wrong with it, or which exports are known.
 */
export function readBill(text: string): Bill {
  const { records, fields } = /^\s*[[{]/.test(text) ? ofJson(text) : ofTable(text)
  const format = FORMATS.find(({ has }) => has.every((name) => fields.has(name)))
  if (!format)
    throw invalid(
      `The file is no export that is known. Known are: ${FORMATS.map(({ name, has }) => `${name} (${has.join(', ')})`).join('; ')}.`,
    )
  return { format: format.name, ...linesOf(format, records) }
}

function linesOf(format: BillFormat, records: readonly Fields[]): Pick<Bill, 'lines' | 'remarks'> {
  const lines: BillLine[] = []
  let left = 0
  for (const record of records) {
    const line = format.line(record)
    if (typeof line === 'string') throw invalid(line)
    if (line) lines.push(line)
    else left += 1
  }
  const remarks = [
    ...(format.remark ? [format.remark] : []),
    ...(left > 0 ? [`${left} lines of the export are of no day or model and were left out.`] : []),
  ]
  return { lines, remarks }
}

interface Read {
  readonly records: readonly Fields[]
  /** Names of all fields that occur. */
  readonly fields: ReadonlySet<string>
}

function ofJson(text: string): Read {
  const records = parsed(text).flatMap(recordsIn)
  const fields = new Set<string>()
  for (const record of records) for (const name of Object.keys(record)) fields.add(name)
  if (records.length === 0) throw invalid('The export has no lines.')
  return { records, fields }
}

/** One value, or one a line. */
function parsed(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    try {
      return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]))
    } catch {
      throw invalid('The file is no JSON: it is not whole, or something else.')
    }
  }
}

/** Pages have buckets, buckets have results; a result is of the time of its bucket. */
function recordsIn(value: unknown): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn)
  const json = object(value)
  if (!json) return []
  const { data, results, result, ...own } = json
  if (Array.isArray(data)) return data.flatMap(recordsIn)
  const inside = results ?? result
  if (!Array.isArray(inside)) return [flat(json)]
  return inside.map((one) => ({ ...flat(own), ...flat(one) }))
}

function ofTable(text: string): Read {
  const lines = readCommaSeparated(text)
  for (const [at, line] of lines.slice(0, HEADER).entries()) {
    const names = line.map(nameOf)
    const fields = new Set(names)
    if (!FORMATS.some(({ has }) => has.every((name) => fields.has(name)))) continue
    const records = lines
      .slice(at + 1)
      .map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])))
    return { records, fields }
  }
  return { records: [], fields: new Set(lines[0]?.map(nameOf)) }
}

/** `sku.description`, `SKU description` and `Cost ($)` are `sku_description`, `sku_description` and `cost`. */
function nameOf(header: string): string {
  return header
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '')
}

function invalid(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message)
}
