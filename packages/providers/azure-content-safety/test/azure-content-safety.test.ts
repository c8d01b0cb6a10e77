import { testProvider } from '@headgate/conformance'
import { createGateway } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { azureContentSafety } from '../src/index.ts'
import { moderations } from './moderations-vendor.ts'

const KEY = 'test-key-of-azure-content-safety'

// Written from https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text and analyze-image.
testProvider(azureContentSafety, {
  config: { apiKey: KEY, baseUrl: 'https://safe.cognitiveservices.azure.com' },
  upstream: { credential: { header: 'ocp-apim-subscription-key', value: KEY } },
  moderations,
})

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
