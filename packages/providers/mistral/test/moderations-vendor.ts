import type { ModerationsFacts, ModerationTopic } from '@headgate/conformance'
import { object } from '@headgate/core/provider'

/** The vendor's categories of the topics. */
const CATEGORIES: Readonly<Record<ModerationTopic, string>> = {
  hate: 'hate_and_discrimination',
  violence: 'violence_and_threats',
  'self-harm': 'selfharm',
  sexual: 'sexual',
}
const OTHERS = ['dangerous_and_criminal_content', 'health', 'financial', 'law', 'pii'] as const

/** Written from https://docs.mistral.ai/api/endpoint/classifiers and https://docs.mistral.ai/capabilities/guardrailing. */
export const moderations: ModerationsFacts = {
  model: 'mistral-moderation-latest',
  otherModel: 'test-model',
  path: '/v1/moderations',
  read({ body }) {
    const { model, input, ...others } = object(body) ?? {}
    if (typeof model !== 'string' || Object.keys(others).length > 0) throw new Error('the fields are model and input')
    const texts = typeof input === 'string' ? [input] : input
    if (!Array.isArray(texts)) throw new Error('`input` is neither a string nor a list')
    return texts.map((text) => {
      if (typeof text !== 'string') throw new Error('an input is not a string')
      return { text }
    })
  },
  write: ({ results }) => ({
    id: 'mod-1',
    model: 'mistral-moderation-2411',
    results: results.map((topics) => {
      const found = new Set(topics.map((topic) => CATEGORIES[topic]))
      const names = [...Object.values(CATEGORIES), ...OTHERS]
      return {
        categories: Object.fromEntries(names.map((name) => [name, found.has(name)])),
        category_scores: Object.fromEntries(names.map((name) => [name, found.has(name) ? 0.98 : 0.001])),
      }
    }),
  }),
}
