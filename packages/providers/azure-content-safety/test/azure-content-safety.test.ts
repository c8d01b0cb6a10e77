import { type ModerationTopic, testProvider } from '@headgate/conformance'
import { object, text } from '@headgate/core/provider'
import { createGateway } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { azureContentSafety } from '../src/index.ts'

const KEY = 'test-key-of-azure-content-safety'
const CATEGORIES: Readonly<Record<ModerationTopic, string>> = {
  hate: 'Hate',
  violence: 'Violence',
  'self-harm': 'SelfHarm',
  sexual: 'Sexual',
}
const TYPES: Readonly<Record<string, string>> = { text: 'EightSeverityLevels', image: 'FourSeverityLevels' }

// Written from https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text and analyze-image.
testProvider(azureContentSafety, {
  config: { apiKey: KEY, baseUrl: 'https://safe.cognitiveservices.azure.com' },
  upstream: { credential: { header: 'ocp-apim-subscription-key', value: KEY } },
  moderations: {
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
  },
})

function analysis(severity: unknown) {
  return { categoriesAnalysis: Object.values(CATEGORIES).map((category) => ({ category, severity })) }
}

describe('Azure Content Safety', () => {
  const gateway = createGateway({
    providers: [azureContentSafety({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9' })],
    authenticate: () => ({ id: 'me' }),
    ledger: { settle() {} },
  })

  it.each([
    ['a text above 10,000 characters', 'x'.repeat(10_001), '10000 characters'],
    [
      'an image by URL',
      [{ type: 'image_url', image_url: { url: 'https://files.example/a.png' } }],
      'data URLs with base64',
    ],
  ])('does not get %s', async (_, input, message) => {
    const response = await gateway.fetch(
      new Request('http://localhost/v1/moderations', {
        method: 'POST',
        headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'content-safety', input }),
      }),
    )
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)])
  })
})
