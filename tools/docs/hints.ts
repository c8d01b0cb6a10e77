import { HINTS } from '../../packages/core/src/canonical/loss.ts'
import { code, table } from './markdown.ts'

const MEANINGS: Readonly<Record<string, string>> = {
  cache_control: 'where the prompt may be cached',
  prompt_cache_breakpoint: 'the same, in chat completions',
  prompt_cache_key: 'which prompts are alike',
  prompt_cache_options: 'how the prompt is cached',
  prompt_cache_retention: 'how long it is cached',
  user: 'who asks, for the vendor',
  user_id: 'who asks, for the vendor (`metadata.user_id`)',
  safety_identifier: 'who asks, for the vendor',
  metadata: 'the caller’s own notes',
  labels: 'the caller’s own notes (generateContent)',
  filename: 'what a file is called',
  displayName: 'what a file is called (generateContent)',
  title: 'what a document is called (messages)',
  store: 'whether the vendor keeps the answer',
  seed: 'the wish for like answers to like requests',
  service_tier: 'how fast and at what price',
  serviceTier: 'how fast and at what price (generateContent)',
}

/** Fields whose loss counts only with `headgate-strict: all`. */
export function hintsTable(): string {
  const rows = [...HINTS].map((hint) => {
    const meaning = MEANINGS[hint]
    if (meaning === undefined)
      throw new Error(`The hint ${hint} has no meaning in tools/docs/hints.ts: say what it advises.`)
    return [code(hint), meaning]
  })
  return table(['field', 'what it advises'], rows)
}
