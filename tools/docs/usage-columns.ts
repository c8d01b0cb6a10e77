import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../../apps/server/src/store/migrations.ts'
import { code, table } from './markdown.ts'

type Meanings = Readonly<Record<string, string>>

const USAGE: Meanings = {
  id: 'counts up',
  request_id: 'the `x-request-id` of the answer',
  principal: 'id of the key, never the key',
  family: '`chat` or `search`',
  format: 'format of the caller; `customsearch` of a search',
  model: 'model as the caller named it; the engine of a search',
  provider: 'who served, or failed last: the name of the provider in the configuration',
  provider_model: 'model as the provider reported it, else the provider’s name of it',
  stream: '1 = streamed',
  translated: '1 = the provider speaks another format',
  status: 'HTTP status that the caller got; 499 = the caller left',
  input: 'input tokens, all of them',
  output: 'output tokens, all of them',
  cache_read: 'share of `input` that was read from a cache',
  cache_write: 'share of `input` that was written to a cache',
  cache_write_long: 'share of `cache_write` that is kept for an hour',
  reasoning: 'share of `output` that was reasoning',
  audio_input: 'share of `input` that was audio',
  audio_output: 'share of `output` that was audio',
  web_searches: 'searches that the provider ran; calls of the backend of a search',
  units: 'what is counted beside tokens, by the name of the unit, as JSON: `{"searches":1}`',
  cost: 'nano-dollars (10⁻⁹ US dollars)',
  price_id: 'names source and date of the price that was applied',
  billed: '1 = counts as spent',
  why: 'why it is billed, or why not',
  finish: 'why the answer ended',
  failure: 'kind of the failure',
  losses: 'JSON: what the translation dropped or changed, with reasons; paths of the answer start with `response.`',
  started_at: 'Unix time in milliseconds',
  first_byte_ms: 'milliseconds until the first byte of the answer went out',
  duration_ms: 'milliseconds until its end',
  estimated: '1 = some of the counts are an estimate, since the answer broke off before its upstream had counted it',
}

const ATTEMPTS: Meanings = {
  usage_id: '`id` of the row in `usage`',
  position: 'counts from 0',
  provider: 'who was asked',
  model: 'the provider’s own name of the model',
  started_at: 'Unix time in milliseconds',
  duration_ms: 'milliseconds',
  status: 'HTTP status of the upstream',
  failure: 'kind of the failure',
}

/** The columns of `usage`, as the store has them. */
export const usageColumns = (): string => columnsOf('usage', USAGE)

/** The columns of `usage_attempts`. */
export const attemptColumns = (): string => columnsOf('usage_attempts', ATTEMPTS)

function columnsOf(name: string, meanings: Meanings): string {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'the store')
  const columns = database.prepare('SELECT name, "notnull", pk FROM pragma_table_info(?)').all(name)
  database.close()
  const rows = columns.map((column) => {
    const key = String(column['name'])
    const meaning = meanings[key]
    if (meaning === undefined) throw new Error(`The column ${name}.${key} has no meaning in tools/docs/usage-columns.ts.`)
    return [code(key), column['notnull'] || column['pk'] ? '' : 'yes', meaning]
  })
  return table(['column', 'may be null', 'meaning'], rows)
}
