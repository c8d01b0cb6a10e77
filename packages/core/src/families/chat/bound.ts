import { isObject, number } from '../../canonical/json.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { Asked } from '../../pipeline/family.ts'

/** Where the formats have the most tokens of an answer, and the number of answers. */
const OUTPUTS = ['max_completion_tokens', 'max_tokens', 'maxOutputTokens'] as const
const COUNTS = ['n', 'candidateCount'] as const

function least(...values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

/** Without a limit in the request or of the model the output has no bound. A token of text is a byte at least. */
export function boundOfChat({ body, facts }: Asked): Usage | undefined {
  if (!body) return undefined
  const config = body.json['generationConfig'] ?? body.json['generation_config']
  const places = isObject(config) ? [body.json, config] : [body.json]
  const say = (names: readonly string[]): number | undefined =>
    least(...places.flatMap((place) => names.map((name) => number(place[name]))))
  const output = least(say(OUTPUTS), facts?.output)
  if (output === undefined) return undefined
  const input = least(body.bytes.length, facts?.context) ?? body.bytes.length
  return { input, output: output * Math.max(1, say(COUNTS) ?? 1) }
}
