import type { ImagesAnswer, ImagesFacts, ImagesMeaning, Received } from '@headgate/conformance'
import { number, object, objects, text } from '@headgate/core/provider'
import { HOME } from './vendor.ts'

function read({ path, body }: Received): ImagesMeaning {
  const { contents, generationConfig, ...others } = object(body) ?? {}
  const { imageConfig, responseModalities, seed, ...unknown } = object(generationConfig) ?? {}
  const surplus = [...Object.keys(others), ...Object.keys(unknown)]
  if (surplus.length > 0) throw new Error(`unknown fields: ${surplus.join(', ')}`)
  if (JSON.stringify(responseModalities) !== '["IMAGE"]') throw new Error('no image is requested')
  const [{ parts } = {}] = objects(contents)
  const { aspectRatio, imageSize } = object(imageConfig) ?? {}
  return {
    model: decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? ''),
    prompt: objects(parts)
      .flatMap((part) => text(part['text']) ?? [])
      .join(''),
    ratio: text(aspectRatio),
    resolution: text(imageSize),
    seed: number(seed),
    images: objects(parts).flatMap(({ inlineData }) => {
      const data = text(object(inlineData)?.['data'])
      return data === undefined ? [] : [{ bytes: Buffer.from(data, 'base64') }]
    }),
  }
}

function write({ images, tokens }: ImagesAnswer): object {
  const parts = images.map((image) => ({
    inlineData: { mimeType: 'image/png', data: Buffer.from(image).toString('base64') },
  }))
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: tokens.input,
      candidatesTokenCount: tokens.output,
      totalTokenCount: tokens.input + tokens.output,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: tokens.output }],
    },
    modelVersion: 'gemini-3-pro-image-preview',
  }
}

/** Written from https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/image-generation */
export const images: ImagesFacts = {
  model: 'gemini-3-pro-image-preview',
  paths: [`${HOME}/publishers/google/models/{model}:generateContent`],
  can: {
    n: 1,
    ratios: ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'],
    resolutions: { '1K': 1_024, '2K': 2_048, '4K': 4_096 },
    seed: true,
    images: 14,
  },
  counts: 'tokens',
  read,
  write,
  blocked: () => ({
    candidates: [{ finishReason: 'IMAGE_SAFETY', index: 0 }],
    usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
  }),
  error: (status, message) => ({ error: { code: status, message, status: 'FAILED' } }),
}
