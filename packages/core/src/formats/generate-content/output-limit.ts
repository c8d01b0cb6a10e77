import { folded } from '../../canonical/folded.ts'
import type { Edit, OutputLimit } from '../../canonical/format.ts'
import { isObject } from '../../canonical/json.ts'

/** Both spellings of each name. */
const CONFIGS = ['generationConfig', 'generation_config'] as const
const LIMITS = ['maxOutputTokens', 'max_output_tokens'] as const
const CONFIG = folded(CONFIGS[0])

/**
 * Output limits of the format.
 * @see https://ai.google.dev/api/generate-content#generationconfig
 */
export const outputLimit: OutputLimit = {
  name: 'generationConfig.maxOutputTokens',
  advice: 'max_tokens, and an integer as number of choices',
  names: { outputs: LIMITS, counts: ['candidateCount', 'candidate_count'], within: CONFIGS },
  edits(body, _target, tokens) {
    // A server may read any of several spellings.
    const configs = Object.keys(body).filter((key) => folded(key) === CONFIG)
    const edits = configs.flatMap((at): Edit[] => {
      const config = body[at]
      if (!isObject(config)) return [{ path: [at], value: { [LIMITS[0]]: tokens } }]
      const named = LIMITS.filter((name) => name in config)
      return (named.length > 0 ? named : [LIMITS[0]]).map((name) => ({
        path: [at, name],
        value: lower(config[name], tokens),
      }))
    })
    const isExact = CONFIGS.some((name) => configs.includes(name))
    return isExact ? edits : [...edits, { path: [CONFIGS[0]], value: { [LIMITS[0]]: tokens } }]
  },
}

/** Keeps a lower limit in another spelling. */
function lower(value: unknown, tokens: number): number {
  return typeof value === 'number' && value > 0 && value < tokens ? value : tokens
}
