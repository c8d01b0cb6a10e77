import type { ChatFacts } from '../../../core/src/provider.ts'
import { PDF, PNG } from '../../../core/test/support/media.ts'
import type { GatewayOptions, ProviderInstance } from '../../src/index.ts'
import { chatProvider } from './gateway.ts'
import { startUpstream, type UpstreamCall } from './upstream.ts'

export const GENERATE = '/v1beta/models/small:generateContent'

/** Written from the vendor's documentation. @see https://ai.google.dev/api/generate-content */
export const generateAnswer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi there' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
}

/** Takes no URLs, unless the facts say otherwise. */
export function generateProvider(
  url: string,
  facts: ChatFacts = { imageUrls: false },
  changes: Partial<ProviderInstance> = {},
): ProviderInstance {
  return chatProvider(url, {
    chat: [{ format: 'generate-content', path: () => '/generate', signer: 'gemini', facts }],
    ...changes,
  })
}

export const image = (url: string) => ({ type: 'image_url', image_url: { url } })
export const say = (...content: unknown[]) => ({
  model: 'small',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, ...content] }],
})

export const INLINE_PNG = { mimeType: 'image/png', data: PNG.toString('base64') }
export const INLINE_PDF = { mimeType: 'application/pdf', data: PDF.toString('base64') }

/** More bytes than the request that names it. */
export const BIG = Buffer.concat([PNG, Buffer.alloc(2_000)])

export const serve = (call: UpstreamCall): void => {
  call.head(200, { 'content-type': call.path.includes('.pdf') ? 'application/pdf' : 'image/png' })
  call.end(call.path.includes('.pdf') ? PDF : call.path.includes('big') ? BIG : PNG)
}

/** A server of files; a gateway that may fetch from the loopback. */
export async function startFiles(handler: (call: UpstreamCall) => unknown = serve) {
  const files = await startUpstream(handler)
  return { files, options: { allowPrivateMedia: ['127.0.0.1'] } satisfies Partial<GatewayOptions> }
}

/** The parts of the turns that a generateContent upstream was sent. */
export const partsOf = (call: UpstreamCall | undefined): unknown[] =>
  ((call?.json()['contents'] ?? []) as { parts: unknown[] }[]).flatMap(({ parts }) => parts)
