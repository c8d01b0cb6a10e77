import { isObject, type Json, number, object, objects, text } from '../canonical/json.ts'
import { isDataUrl, readDataUrl } from '../canonical/media-source.ts'
import type { Usage } from '../canonical/usage.ts'
import type { HttpResponse } from '../contract/http.ts'
import type { ImageInput, ImagesAbilities, ImagesRequest, ImagesResponse, ImagesSupport } from '../contract/images.ts'
import { HeadgateError } from '../errors.ts'

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']
/** Tokens of an image of the first model, in any ratio. @see https://ai.google.dev/gemini-api/docs/image-generation */
const TOKENS = 1_290

/**
 * True for models that answer generateContent with images.
 * @example drawsByContent('gemini-3.1-flash-image') // true
 */
export function drawsByContent(model: string): boolean {
  return /-image(?:-|$)|nano-banana/.test(model)
}

/**
 * Capabilities of Gemini's image models. The first of them has one resolution.
 * @see https://ai.google.dev/gemini-api/docs/image-generation
 * @example contentImageAbilities('gemini-2.5-flash-image').images // 3
 */
export function contentImageAbilities(model: string): ImagesAbilities {
  const shared: ImagesAbilities = { n: 1, ratios: RATIOS, seed: true, takes: 'data' }
  return /2\.[05]-flash/.test(model)
    ? { ...shared, images: 3, outputTokens: () => TOKENS }
    : { ...shared, images: 14, resolutions: { '1K': 1_024, '2K': 2_048, '4K': 4_096 } }
}

/**
 * Support for images by generateContent, one for each call.
 * @param path path of the method for a model.
 * @example const images = contentImages((model) => `/v1beta/models/${model}:generateContent`)
 */
export function contentImages(path: (model: string) => string): ImagesSupport {
  return {
    can: contentImageAbilities,
    request: (input, { model }) => ({ method: 'POST', url: path(model), body: { json: bodyOf(input) } }),
    response: readContent,
  }
}

function bodyOf({ prompt, images, ratio, resolution, seed }: ImagesRequest): Json {
  const shape = {
    ...(ratio !== undefined && { aspectRatio: ratio }),
    ...(resolution !== undefined && { imageSize: resolution }),
  }
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...images.map(partOf)] }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      ...(Object.keys(shape).length > 0 && { imageConfig: shape }),
      ...(seed !== undefined && { seed }),
    },
  }
}

function partOf(image: ImageInput): Json {
  if (!('url' in image) || !isDataUrl(image.url)) throw new HeadgateError('internal', 'The image is not a data URL.')
  const { mime, data } = readDataUrl(image.url, 'image')
  return { inlineData: { mimeType: mime, data } }
}

function readContent({ body }: HttpResponse): ImagesResponse {
  const answer = object(body) ?? {}
  const candidates = objects(answer['candidates'])
  const parts = candidates.flatMap(({ content }) => objects(object(content)?.['parts']))
  const images = parts.flatMap(({ inlineData, thought }) => {
    const { data, mimeType } = object(inlineData) ?? {}
    const base64 = text(data)
    return base64 && thought !== true ? [{ base64, type: text(mimeType) }] : []
  })
  const usage = usageOf(answer['usageMetadata'])
  const model = text(answer['modelVersion'])
  if (images.length > 0) return { images, usage, model }
  const reason = text(object(answer['promptFeedback'])?.['blockReason']) ?? text(candidates[0]?.['finishReason'])
  const said = text(candidates[0]?.['finishMessage']) ?? parts.map((part) => text(part['text']) ?? '').join('')
  if ((reason === undefined || reason === 'STOP') && said === '')
    throw new HeadgateError('upstream', 'The provider returned no images.')
  return {
    images: [],
    usage,
    model,
    blocked: `The model returned no image (${reason ?? 'no reason given'}). ${said}`.trim(),
  }
}

function usageOf(metadata: unknown): Usage | undefined {
  if (!isObject(metadata)) return undefined
  const [input, made = 0, thoughts] = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'].map((name) =>
    number(metadata[name]),
  )
  if (input === undefined) return undefined
  const imageInput = tokensOf(metadata['promptTokensDetails'])
  const cacheRead = number(metadata['cachedContentTokenCount'])
  return {
    input,
    output: made + (thoughts ?? 0),
    imageOutput: tokensOf(metadata['candidatesTokensDetails']) ?? made,
    ...(imageInput !== undefined && { imageInput }),
    ...(thoughts !== undefined && { reasoning: thoughts }),
    ...(cacheRead !== undefined && { cacheRead }),
  }
}

/** Tokens of images in a list by modality. */
function tokensOf(details: unknown): number | undefined {
  const counts = objects(details).filter(({ modality }) => modality === 'IMAGE')
  return counts.length === 0 ? undefined : counts.reduce((sum, { tokenCount }) => sum + (number(tokenCount) ?? 0), 0)
}
