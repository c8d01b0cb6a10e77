import { HINTS } from '../../packages/core/src/canonical/loss.ts'
import { code, table } from './markdown.ts'

const MEANINGS: Readonly<Record<string, string>> = {
  cache_control: 'cache position in the prompt',
  prompt_cache_breakpoint: 'cache position in the prompt (chat completions)',
  prompt_cache_key: 'group of similar prompts',
  prompt_cache_options: 'cache settings',
  prompt_cache_retention: 'cache retention',
  user: 'end user, for the vendor',
  user_id: 'end user, for the vendor (`metadata.user_id`)',
  safety_identifier: 'end user, for the vendor',
  metadata: 'notes of the caller',
  labels: 'notes of the caller (generateContent)',
  filename: 'name of a file',
  displayName: 'name of a file (generateContent)',
  title: 'title of a document (messages)',
  store: 'storage of the response at the vendor',
  seed: 'reproducible responses',
  service_tier: 'speed and price',
  serviceTier: 'speed and price (generateContent)',
}

/** Fields whose loss counts only with `headgate-strict: all`. */
export function hintsTable(): string {
  const rows = [...HINTS].map((hint) => {
    const meaning = MEANINGS[hint]
    if (meaning === undefined) throw new Error(`The hint ${hint} has no meaning in tools/docs/hints.ts: add one.`)
    return [code(hint), meaning]
  })
  return table(['field', 'meaning'], rows)
}
