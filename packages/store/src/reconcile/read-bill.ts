import { HeadgateError, object } from '@headgate/gateway/ports'
import type { Bill, BillLine } from './bill.ts'
import { type BillFields, type BillFormat, FORMATS, flat } from './bill-formats.ts'
import { readCommaSeparated } from './comma-separated.ts'

/** Maximum number of lines before the header. */
const HEADER = 20

/**
 * Reads a vendor's export of usage or costs: API responses, one or more as JSON lines or a list, or a file from the
 * vendor's console.
 * @throws HeadgateError `invalid-request` with the problem, or with the known formats
 */
export function readBill(text: string): Bill {
  const { records, fields } = /^\s*[[{]/.test(text) ? ofJson(text) : ofTable(text)
  const format = FORMATS.find(({ has }) => has.every((name) => fields.has(name)))
  if (!format)
    throw invalid(
      `The export format is unknown. Known formats: ${FORMATS.map(({ name, has }) => `${name} (${has.join(', ')})`).join('; ')}.`,
    )
  return { format: format.name, ...linesOf(format, records) }
}

function linesOf(format: BillFormat, records: readonly BillFields[]): Pick<Bill, 'lines' | 'remarks'> {
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
    ...(left > 0 ? [`${left} lines of the export have no day or model and were skipped.`] : []),
  ]
  return { lines, remarks }
}

interface BillRecords {
  readonly records: readonly BillFields[]
  /** Names of all fields in the file. */
  readonly fields: ReadonlySet<string>
}

function ofJson(text: string): BillRecords {
  const records = parsed(text).flatMap(recordsIn)
  const fields = new Set<string>()
  for (const record of records) for (const name of Object.keys(record)) fields.add(name)
  if (records.length === 0) throw invalid('The export has no lines.')
  return { records, fields }
}

/** JSON value, or JSON lines. */
function parsed(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    try {
      return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]))
    } catch {
      throw invalid('The file is not valid JSON. It may be incomplete.')
    }
  }
}

/** Records of pages, buckets and results. A result has the time of its bucket. */
function recordsIn(value: unknown): readonly BillFields[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn)
  const json = object(value)
  if (!json) return []
  const { data, results, result, ...own } = json
  if (Array.isArray(data)) return data.flatMap(recordsIn)
  const inside = results ?? result
  if (!Array.isArray(inside)) return [flat(json)]
  return inside.map((one) => ({ ...flat(own), ...flat(one) }))
}

function ofTable(text: string): BillRecords {
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

/**
 * Normalized header: `sku.description`, `SKU description` and `Cost ($)` become `sku_description`, `sku_description`
 * and `cost`.
 */
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
