import type { OutputLimit } from '../../canonical/format.ts'
import { isObject } from '../../canonical/json.ts'

/** Each name has two spellings, of which that counts which is there. */
const CONFIGS = ['generationConfig', 'generation_config'] as const
const LIMITS = ['maxOutputTokens', 'max_output_tokens'] as const

export const outputLimit: OutputLimit = {
  name: 'generationConfig.maxOutputTokens',
  edit(body, _target, tokens) {
    const at = CONFIGS.find((name) => isObject(body[name]))
    const config = at && body[at]
    if (!at || !isObject(config)) return { path: [CONFIGS.find((name) => name in body) ?? CONFIGS[0]], value: { maxOutputTokens: tokens } }
    return { path: [at, LIMITS.find((name) => name in config) ?? LIMITS[0]], value: tokens }
  },
}
