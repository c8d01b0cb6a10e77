import { baseUrl, defineSink, type HttpRequest, type HttpResponse, next, type UpstreamError } from '@headgate/core/sink'
import { z } from 'zod'
import { createTables } from './tables.ts'

const name = z.string().regex(/^[A-Za-z_]\w{0,100}$/, 'a name of letters, digits and underscores')
/** Codes that a correct batch can get: unknown table, database or user, memory, parts, timeout, read-only. */
const OTHER = new Set(['60', '81', '159', '164', '192', '202', '209', '210', '241', '252', '497', '516'])

/**
 * ClickHouse over HTTP. The table replaces rows with the same id, and the token of each insert is the id of its batch.
 * @see https://clickhouse.com/docs/interfaces/http
 */
export const clickhouse = defineSink(
  {
    id: 'clickhouse',
    title: 'ClickHouse',
    config: z.strictObject({
      baseUrl: baseUrl.describe('URL of the HTTP interface, such as `https://clickhouse.example.com:8443`.'),
      user: z.string().trim().min(1).default('default'),
      password: z.string().default(''),
      database: name.default('default'),
      table: name.default('headgate_usage'),
      createTables: z.boolean().default(false).describe('True to create the tables that do not exist.'),
    }),
    env: { baseUrl: ['CLICKHOUSE_URL'], user: ['CLICKHOUSE_USER'], password: ['CLICKHOUSE_PASSWORD'] },
  },
  ({ baseUrl, user, password, database, table, createTables: isCreating }) => {
    const send = (query: string, settings: Record<string, string>, body: HttpRequest['body']): HttpRequest => ({
      method: 'POST',
      url: `/?${new URLSearchParams({ query, database, wait_end_of_query: '1', ...settings })}`,
      headers: { 'x-clickhouse-user': user, ...(body && { 'content-encoding': 'gzip' }) },
      ...(body && { body }),
    })
    const statements = createTables(table)
    const statement = (index: number): HttpRequest => send(statements[index] ?? '', {}, undefined)
    return {
      baseUrl,
      credential: { kind: 'header', name: 'x-clickhouse-key', value: password },
      limits: { rows: 100_000, bytes: 10_000_000, waitMs: 5_000 },
      compression: 'gzip',
      ...(isCreating && {
        setup: {
          request: () => statement(0),
          response: (_, __, earlier) => {
            if (earlier.length + 1 < statements.length) return next(statement(earlier.length + 1))
          },
        },
      }),
      write: {
        request: ({ id, content }) =>
          send(
            `INSERT INTO ${table} FORMAT JSONEachRow`,
            {
              insert_deduplication_token: id,
              date_time_input_format: 'best_effort',
              input_format_skip_unknown_fields: '1',
              input_format_json_read_objects_as_strings: '1',
              input_format_json_read_arrays_as_strings: '1',
            },
            { bytes: content, type: 'application/x-ndjson' },
          ),
        response: () => {},
      },
      readError,
    }
  },
)

/** Error of a response. Its status can be 200. Messages can quote rows, so they are left out. */
function readError({ status, headers }: HttpResponse): UpstreamError | undefined {
  const code = headers['x-clickhouse-exception-code']
  if (code === undefined) return undefined
  const kind = OTHER.has(code) || status >= 500 || status === 200 ? 'upstream' : undefined
  return kind && { kind, code, message: `it responded with status ${status} (code ${code})` }
}
