import { type Received, rowsOfLines, testBatch, testSink } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { clickhouse } from '../src/index.ts'

const config = { baseUrl: 'https://clickhouse.example:8443', user: 'writer', password: 'kestrel.over.the.fjord' }

/** Query of a request, whose credential is in headers. */
function queryOf({ query, headers, method }: Received): string {
  if (headers['x-clickhouse-user'] !== 'writer' || headers['x-clickhouse-key'] !== config.password)
    throw new Error('AUTHENTICATION_FAILED')
  if (method !== 'POST' || query.get('database') !== 'default') throw new Error('wrong request')
  return query.get('query') ?? ''
}

const failed = (status: number, code: string) => ({
  kind: 'whole' as const,
  status,
  headers: { 'x-clickhouse-exception-code': code },
  body: `Code: ${code}. DB::Exception: rows`,
})

testSink(clickhouse, {
  config: { ...config, createTables: true },
  secrets: [config.password],
  read(request) {
    const query = queryOf(request)
    if (query.startsWith('CREATE ')) return undefined
    if (query !== 'INSERT INTO headgate_usage FORMAT JSONEachRow') throw new Error(`SYNTAX_ERROR ${query}`)
    return { id: request.query.get('insert_deduplication_token') ?? '', rows: rowsOfLines(request) }
  },
  failures: [
    { name: 'an exception after the status 200', reply: failed(200, '241') },
    { name: 'a missing table (404)', reply: failed(404, '60') },
    { name: 'a server that is read-only (400)', reply: failed(400, '164') },
    { name: 'too many parts (500)', reply: failed(500, '252') },
    { name: 'rows that it cannot parse', reply: failed(400, '27'), isFinal: true },
  ],
})

describe('The tables', () => {
  it('are created once, in their order, and only if the configuration says so', () => {
    const setup = clickhouse({ ...config, createTables: true, table: 'rows' }).setup
    const queries: string[] = []
    const call = { model: '', stream: false, headers: {}, lose() {} }
    const response = { status: 200, headers: {}, body: '', bytes: new Uint8Array() }
    let request = setup?.request(undefined, call)
    while (request) {
      queries.push(new URL(request.url, 'http://x').searchParams.get('query') ?? '')
      const more = setup?.response(
        response,
        undefined,
        queries.slice(1).map(() => response),
      )
      request = more?.request
    }
    expect(queries.map((query) => query.split(' (')[0]?.split('\n')[0])).toEqual([
      'CREATE TABLE IF NOT EXISTS rows',
      'CREATE MATERIALIZED VIEW IF NOT EXISTS rows_hours',
    ])
    expect(clickhouse(config).setup).toBeUndefined()
  })

  it('have names that need no quotes', () => {
    expect(() => clickhouse({ ...config, table: 'a; DROP TABLE b' })).toThrow('a name of letters')
  })

  it('are written with lines in gzip', () => {
    const sink = clickhouse(config)
    expect(rowsOfLines({ bytes: testBatch(sink, 1, 3).content, headers: { 'content-encoding': 'gzip' } })).toHaveLength(
      3,
    )
  })
})
