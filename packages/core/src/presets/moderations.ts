import { isObject, type Json, objects, text } from '../canonical/json.ts'
import type { HttpResponse } from '../contract/http.ts'
import type {
  ModerationPart,
  ModerationResult,
  ModerationsResponse,
  ModerationsSupport,
} from '../contract/moderations.ts'
import { HeadgateError } from '../errors.ts'

/** Differences between a server and OpenAI's moderations. */
export interface ModerationsOptions extends Pick<ModerationsSupport, 'images' | 'batch'> {
  /** Path below the base URL; default `/moderations`. */
  readonly path?: string | undefined
}

/**
 * Support for `POST /moderations` in OpenAI's wire.
 * @example const provider = { baseUrl, credential, moderations: moderationsSupport({ images: true }) }
 * @see https://platform.openai.com/docs/api-reference/moderations
 */
export function moderationsSupport(
  { path = '/moderations', images, batch }: ModerationsOptions = {},
  headers: Readonly<Record<string, string>> = {},
  base = '',
): ModerationsSupport {
  const url = `${base}${path}`
  return {
    native: url,
    headers,
    images,
    batch,
    request: ({ model, inputs }) => ({
      method: 'POST',
      url,
      headers,
      body: { json: { model, input: inputOf(inputs) } },
    }),
    response: readModerations,
  }
}

function inputOf(inputs: readonly (readonly ModerationPart[])[]): unknown {
  const [first = []] = inputs
  if (inputs.length === 1) return first.map(partOf)
  return inputs.map((parts) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
}

function partOf(part: ModerationPart): Json {
  return part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } }
}

function readModerations({ body }: HttpResponse): ModerationsResponse {
  const answer = isObject(body) ? body : {}
  if (!Array.isArray(answer['results']))
    throw new HeadgateError('upstream', 'The provider returned no classification: its response has no `results`.')
  const results = objects(answer['results']).map(({ flagged, categories, category_scores: scores }) => {
    if (typeof flagged !== 'boolean')
      throw new HeadgateError('upstream', 'The provider returned no classification: a result has no `flagged`.')
    return { flagged, ...resultOf(categories, scores) }
  })
  return { results, model: text(answer['model']) }
}

function resultOf(categories: unknown, scores: unknown): ModerationResult {
  return {
    categories: Object.fromEntries(
      Object.entries(isObject(categories) ? categories : {}).map(([name, value]) => [
        name,
        typeof value === 'boolean' ? value : null,
      ]),
    ),
    scores: Object.fromEntries(
      Object.entries(isObject(scores) ? scores : {}).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    ),
  }
}
