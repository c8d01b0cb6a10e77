import {
  isObject,
  type ModerationResult,
  type ModerationsResponse,
  type ModerationsSupport,
  objects,
  text,
} from '@headgate/core/provider'

/** Categories of OpenAI's moderations by the vendor's; others keep their names. */
const CATEGORIES: Readonly<Record<string, string>> = {
  hate_and_discrimination: 'hate',
  violence_and_threats: 'violence',
  dangerous_and_criminal_content: 'illicit',
  dangerous: 'illicit',
  criminal: 'illicit',
  selfharm: 'self-harm',
}

/**
 * Moderations of text. The response has no `flagged`: a content is flagged if any of its categories is.
 * @see https://docs.mistral.ai/api/endpoint/classifiers
 */
export const moderations: ModerationsSupport = {
  serves: (model) => model.includes('moderation'),
  request: ({ model, inputs }) => ({
    method: 'POST',
    url: '/moderations',
    body: {
      json: {
        model,
        input: inputs.map((parts) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')),
      },
    },
  }),
  response: ({ body }): ModerationsResponse => {
    const answer = isObject(body) ? body : {}
    return { results: objects(answer['results']).map(resultOf), model: text(answer['model']) }
  },
}

function resultOf({ categories, category_scores: given }: Readonly<Record<string, unknown>>): ModerationResult {
  const flags: Record<string, boolean> = {}
  const scores: Record<string, number> = {}
  for (const [own, flag] of Object.entries(isObject(categories) ? categories : {})) {
    const name = CATEGORIES[own] ?? own
    if (typeof flag !== 'boolean') throw new TypeError(`The category ${own} is neither true nor false.`)
    flags[name] = flag || flags[name] === true
  }
  for (const [own, score] of Object.entries(isObject(given) ? given : {})) {
    const name = CATEGORIES[own] ?? own
    if (typeof score === 'number') scores[name] = Math.max(score, scores[name] ?? 0)
  }
  return { categories: flags, scores }
}
