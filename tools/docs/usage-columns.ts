import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openConnection } from '../../packages/store/src/database/connection.ts'
import { migrate } from '../../packages/store/src/database/migrate.ts'
import { run } from '../../packages/store/src/database/transaction.ts'
import { code, table } from './markdown.ts'

type Meanings = Readonly<Record<string, string>>

const USAGE: Meanings = {
  id: 'UUIDv7',
  at: 'when the request began: Unix time in milliseconds',
  group_id: 'stands for key, provider, model, family and status together: what the index is by',
  request_id: 'the `x-request-id` of the answer; `id` where `why` is `lost`',
  principal: 'id of the key, never the key',
  family: '`chat`, `embeddings`, `rerank`, `search` or `video`',
  format: 'format of the caller; `customsearch` of a search',
  model: 'model as the caller named it; the engine of a search',
  provider: 'who served, or failed last: the name of the provider in the configuration',
  provider_model: 'model as the provider reported it, else the provider’s name of it',
  stream: '1 = streamed',
  translated: '1 = the provider speaks another format',
  status: 'HTTP status that the caller got; 499 = the caller left; 0 = nobody knows, `why` is `lost`',
  input: 'input tokens, all of them',
  output: 'output tokens, all of them',
  cache_read: 'share of `input` that was read from a cache',
  cache_write: 'share of `input` that was written to a cache',
  cache_write_long: 'share of `cache_write` that is kept for an hour',
  reasoning: 'share of `output` that was reasoning',
  audio_input: 'share of `input` that was audio',
  audio_output: 'share of `output` that was audio',
  units: 'what is counted beside tokens, by the name of the unit, as JSON: `{"searches":1}`',
  estimated: '1 = some of the counts are an estimate, since the answer broke off before its upstream had counted it',
  cost: 'what upstreams charge for all attempts: nano-dollars (10⁻⁹ US dollars)',
  charged:
    'what counts for the caller, in nano-dollars: 0 for a request that failed, and for a search that was empty or cached',
  held: 'nano-dollars that budgets hold for calls whose cost is unknown; negative in a correction',
  price_id: 'names source and date of the price that was applied',
  billed: '1 = counts as spent',
  why: 'why it is billed, or why not',
  finish: 'why the answer ended',
  failure: 'kind of the failure',
  losses: 'JSON: what the translation dropped or changed, with reasons; paths of the answer start with `response.`',
  corrects: '`id` of the row whose cost this one sets right',
  first_byte_ms: 'milliseconds until the first byte of the answer went out',
  duration_ms: 'milliseconds until its end',
  tags: 'what the caller said of it in `headgate-tags`, as JSON: `{"team":"a"}`',
}

const ATTEMPTS: Meanings = {
  at: '`at` of the row in `usage`',
  usage_id: '`id` of the row in `usage`',
  position: 'counts from 0',
  provider: 'who was asked',
  model: 'the provider’s own name of the model',
  started_at: 'Unix time in milliseconds',
  duration_ms: 'milliseconds',
  status: 'HTTP status of the upstream',
  failure: 'kind of the failure',
  cost: 'what the upstream charges for it, in nano-dollars; 0 where it refused, or was never reached',
  price_id: 'names source and date of the price that was applied',
}

const SHARES = 'the same column of the rows, added up; what is not known counts as 0'

/** Of `usage_hours`, and of `usage_days` but for `hour`: all else is a sum of the column of that name. */
const SUMS: Meanings = {
  hour: 'its start: Unix time in milliseconds',
  ...Object.fromEntries(
    ['principal', 'provider', 'model', 'family'].map((name) => [name, 'as in `usage`, cut after 200 characters']),
  ),
  status: 'as in `usage`',
  requests: 'rows',
  unpriced: 'rows whose cost is not known',
  ...Object.fromEntries(
    ['searches', 'images', 'seconds', 'characters', 'pages'].map((name) => [name, 'that unit of the rows, added up']),
  ),
}

/** The columns of `usage`, as the store has them. */
export const usageColumns = (): Promise<string> => columnsOf('usage', (name) => USAGE[name])

/** The columns of `usage_attempts`. */
export const attemptColumns = (): Promise<string> => columnsOf('usage_attempts', (name) => ATTEMPTS[name])

/** The columns of `usage_hours`, which are those of `usage_days` but for the first. */
export const hourColumns = (): Promise<string> =>
  columnsOf('usage_hours', (name) => SUMS[name] ?? (USAGE[name] && SHARES))

async function columnsOf(name: string, meaningOf: (column: string) => string | undefined): Promise<string> {
  const columns = await columnsIn(name)
  const rows = columns.map(({ name: column, nullable }) => {
    const meaning = meaningOf(column)
    if (!meaning) throw new Error(`The column ${name}.${column} has no meaning in tools/docs/usage-columns.ts.`)
    return [code(column), nullable ? 'yes' : '', meaning]
  })
  return table(['column', 'may be null', 'meaning'], rows)
}

async function columnsIn(table: string): Promise<{ name: string; nullable: boolean }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-'))
  const connection = await openConnection({ file: join(folder, 'headgate.db') })
  try {
    await migrate(connection)
    const columns = await run(connection.db, 'SELECT name, "notnull" OR pk AS needed FROM pragma_table_info(?)', [
      table,
    ])
    return columns.map((column) => ({ name: String(Object(column).name), nullable: !Object(column).needed }))
  } finally {
    await connection.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
