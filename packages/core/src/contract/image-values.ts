import { isObject, objects, text } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'
import { HeadgateError } from '../errors.ts'
import type { FormPart } from './http.ts'
import type { ImageInput, ImageSize, MadeImage } from './images.ts'

/**
 * URL of an image, for models whose `takes` is `urls` or `data`.
 * @example imageUrl({ url: 'data:image/png;base64,iVBO…' }) // 'data:image/png;base64,iVBO…'
 */
export function imageUrl(image: ImageInput): string {
  if ('url' in image) return image.url
  throw new HeadgateError('internal', 'The image is a file, but the adapter asked for URLs in `takes`.')
}

/**
 * URL of an image, or the bare base64 of a data URL.
 * @example imageBase64({ url: 'data:image/png;base64,iVBO…' }) // 'iVBO…'
 */
export function imageBase64(image: ImageInput): string {
  const url = imageUrl(image)
  return url.startsWith('data:') ? url.slice(url.indexOf(',') + 1) : url
}

/**
 * Part of a form with an image, for models whose `takes` is `files`.
 * @example const form = [{ name: 'prompt', value: prompt }, ...images.map((image) => imagePart('image', image))]
 */
export function imagePart(name: string, image: ImageInput): FormPart {
  if ('url' in image) throw new HeadgateError('internal', 'The image is a URL, but the adapter asked for files.')
  return { name, value: image.content, filename: image.name, type: image.type }
}

/**
 * Size as text. Undefined for an absent size.
 * @example sizeText({ width: 1024, height: 768 }, '*') // '1024*768'
 */
export function sizeText(size: ImageSize | undefined, separator = 'x'): string | undefined {
  return size && `${size.width}${separator}${size.height}`
}

/**
 * Parts of a form with these strings. Undefined values are left out.
 * @example textParts({ prompt, seed: 0 }) // [{ name: 'prompt', value: '…' }, { name: 'seed', value: '0' }]
 */
export function textParts(fields: Readonly<Record<string, unknown>>): FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: typeof value === 'object' ? JSON.stringify(value) : String(value) }],
  )
}

/**
 * Usage in units, without tokens. Unknown units are left out; undefined if none is known.
 * @example unitUsage({ images: 2 }, 'high:1536x1024')
 */
export function unitUsage(
  counts: Readonly<Record<string, number | undefined>>,
  variant?: string | undefined,
): Usage | undefined {
  const units: Record<string, number> = {}
  for (const [unit, count] of Object.entries(counts)) if (count !== undefined) units[unit] = count
  if (Object.keys(units).length === 0) return undefined
  return { input: 0, output: 0, units, ...(variant !== undefined && { variant }) }
}

/**
 * Milliseconds until the next request for the state of a task: from half a second to half a minute, so that the 50
 * requests of one exchange take 13 minutes.
 * @param earlier the responses so far.
 * @example return next({ method: 'GET', url: `/jobs/${id}` }, pollDelayMs(earlier))
 */
export function pollDelayMs(earlier: readonly unknown[]): number {
  return Math.min(30_000, Math.round(500 * 1.15 ** earlier.length))
}

/**
 * Images of a response in OpenAI's shape, `data` with `b64_json` or `url`. Entries without an image are left out.
 * @example madeImages({ data: [{ b64_json: 'iVBO…' }] }) // [{ base64: 'iVBO…' }]
 */
export function madeImages(body: unknown): MadeImage[] {
  return objects(isObject(body) ? body['data'] : undefined).flatMap((entry): MadeImage[] => {
    const [base64, url, revised] = [text(entry['b64_json']), text(entry['url']), text(entry['revised_prompt'])]
    const known = revised ? { revised } : {}
    if (base64) return [{ base64, ...known }]
    return url ? [{ url, ...known }] : []
  })
}
