import type { SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/text-to-speech/migration-guide */
const Asked = z.strictObject({
  contents: z
    .array(
      z.strictObject({
        role: z.literal('user'),
        parts: z
          .array(z.strictObject({ text: z.string(), speechMetadata: z.strictObject({ style: z.string() }).optional() }))
          .length(1),
      }),
    )
    .length(1),
  generationConfig: z.strictObject({
    responseModalities: z.tuple([z.literal('AUDIO')]),
    speechConfig: z.strictObject({ voiceConfig: z.strictObject({ voice: z.string() }) }),
  }),
})

/** Speech of Gemini 3.8, as Google's documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'gemini-3.8-flash-tts',
  path: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
  voice: 'Puck',
  alloy: 'Kore',
  formats: ['pcm'],
  instructions: true,
  counts: 'tokens',
  read({ body, path }) {
    const { contents, generationConfig } = Asked.parse(body)
    const [part] = contents[0]?.parts ?? []
    const { voice } = generationConfig.speechConfig.voiceConfig
    const model = /models\/(.+):/.exec(decodeURIComponent(path))?.[1] ?? ''
    return { model, input: part?.text ?? '', voice, format: 'pcm', instructions: part?.speechMetadata?.style }
  },
  write({ pieces, tokens }) {
    const chunk = (content: object, more: object = {}) => ({ candidates: [{ content, index: 0, ...more }] })
    const usageMetadata = { promptTokenCount: tokens.input, candidatesTokenCount: tokens.output }
    const events = [
      ...pieces.map((piece) => {
        const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: Buffer.from(piece).toString('base64') }
        return chunk({ parts: [{ inlineData }], role: 'model' })
      }),
      { ...chunk({ parts: [], role: 'model' }, { finishReason: 'STOP' }), usageMetadata },
    ]
    return { kind: 'stream', pieces: events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\r\n\r\n`)) }
  },
  error: (code, message) => ({ error: { code, message, status: 'UNKNOWN' } }),
}
