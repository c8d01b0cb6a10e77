import type { ModerationsFacts, ModerationTopic } from '@headgate/conformance'
import { object, text } from '@headgate/core/provider'

const CATEGORIES: Readonly<Record<ModerationTopic, string>> = {
  hate: 'Hate',
  violence: 'Violence',
  'self-harm': 'SelfHarm',
  sexual: 'Sexual',
}
const TYPES: Readonly<Record<string, string>> = { text: 'EightSeverityLevels', image: 'FourSeverityLevels' }

/** Written from https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text and analyze-image. */
export const moderations: ModerationsFacts = {
  model: 'content-safety',
  path: ['/contentsafety/text:analyze?api-version=2024-09-01', '/contentsafety/image:analyze?api-version=2024-09-01'],
  images: true,
  most: 1,
  read({ body, path }) {
    const [, kind = ''] = /(text|image):analyze$/.exec(path) ?? []
    const { outputType, categories: _, text: words, image, ...others } = object(body) ?? {}
    if (Object.keys(others).length > 0) throw new Error('unknown fields')
    if (outputType !== TYPES[kind]) throw new Error(`the type of output is ${outputType}`)
    if (kind === 'text') return [{ text: text(words) ?? '' }]
    const content = text(object(image)?.['content'])
    if (content === undefined || content.startsWith('data:')) throw new Error('the image is not base64')
    return [{ text: '', images: [`data:image/png;base64,${content}`] }]
  },
  write: ({ results: [topics = []] }) => ({
    blocklistsMatch: [],
    categoriesAnalysis: Object.entries(CATEGORIES).map(([topic, category]) => ({
      category,
      severity: topics.some((one) => one === topic) ? 6 : 2,
    })),
  }),
  error: (status, message) => ({ error: { code: `E${status}`, message } }),
  failures: [
    { name: 'a missing category', body: { categoriesAnalysis: [{ category: 'Hate', severity: 0 }] } },
    { name: 'a severity that is no number', body: analysis('high') },
    { name: 'a severity out of range', body: analysis(8) },
  ],
}

function analysis(severity: unknown) {
  return { categoriesAnalysis: Object.values(CATEGORIES).map((category) => ({ category, severity })) }
}
