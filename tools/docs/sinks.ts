import { createTables } from '../../packages/sinks/clickhouse/src/tables.ts'
import { RECORD_COLUMNS } from '../../packages/store/src/sinks/line.ts'
import { code, table } from './markdown.ts'

/** JSON types of columns by kind. */
const TYPES: Readonly<Record<string, string>> = {
  uuid: 'string',
  'maybe-uuid': 'string, null',
  text: 'string',
  'maybe-text': 'string, null',
  outcome: 'string',
  flag: 'boolean',
  time: 'string',
  duration: 'integer',
  'maybe-duration': 'integer, null',
  status: 'integer',
  'maybe-status': 'integer, null',
  count: 'integer, null',
  money: 'integer, null',
  units: 'object, null',
  tags: 'object, null',
  losses: 'list',
  routing: 'object, null',
}

/** Columns of the rows that sinks get. */
export function sinkColumnsTable(): string {
  const rows = RECORD_COLUMNS.map(({ name, kind, description }) => [code(name), TYPES[kind] ?? kind, description])
  return table(['column', 'type', 'meaning'], rows)
}

/** Statements that create the tables in ClickHouse. */
export function sinkTables(): string {
  return `\`\`\`sql\n${createTables('headgate_usage').join(';\n\n')};\n\`\`\``
}
