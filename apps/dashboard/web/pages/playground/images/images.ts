import { isRecord, listOf, textOf } from '../../../api/playground.ts'
import { type EndpointRequest, numberOf } from '../endpoint/request.ts'
import { webAddress } from '../search/results.ts'

/** Maximum number of images of a request. */
export const MAX_IMAGES = 10

/** Values of the form. Empty strings are the defaults of the model. */
export interface ImagesDraft {
  readonly prompt: string
  readonly size: string
  readonly quality: string
  readonly n: string
  readonly format: string
  /** Images to edit. */
  readonly inputs: readonly File[]
}

export const NO_IMAGES: ImagesDraft = { prompt: '', size: '', quality: '', n: '', format: '', inputs: [] }

/** Request for images: an edit if the draft has images. */
export function imagesRequest(
  model: string,
  { prompt, size, quality, n, format, inputs }: ImagesDraft,
): EndpointRequest {
  const fields = {
    model,
    prompt,
    size: size || undefined,
    quality: quality || undefined,
    n: numberOf(n),
    output_format: format || undefined,
  }
  if (inputs.length === 0) return { path: 'images/generations', fields }
  return { path: 'images/edits', fields, files: inputs.map((file) => ({ field: 'image', file, isList: true })) }
}

/** True for an empty number, and for one from 1 to the maximum. */
export function isImageCount(n: string): boolean {
  const count = numberOf(n)
  return count === undefined || (Number.isInteger(count) && count >= 1 && count <= MAX_IMAGES)
}

/** Image of a response: its bytes, or the address at which its provider stores it. */
export interface ResponseImage {
  readonly blob: Blob | undefined
  readonly address: string | undefined
  /** Prompt that the provider used instead. */
  readonly revised: string
}

/** Types of images by the beginning of their base64. */
const TYPES: readonly (readonly [start: string, type: string])[] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
  ['PHN2Z', 'image/svg+xml'],
  ['PD94b', 'image/svg+xml'],
]

/** Images of a response in OpenAI's format. Entries without an image are left out. */
export function imagesOf(answer: unknown): readonly ResponseImage[] {
  return listOf(isRecord(answer) ? answer['data'] : undefined).flatMap((one) => {
    if (!isRecord(one)) return []
    const blob = blobOf(textOf(one['b64_json']))
    const address = webAddress(textOf(one['url']))
    return blob || address !== undefined ? [{ blob, address, revised: textOf(one['revised_prompt']) }] : []
  })
}

function blobOf(base64: string): Blob | undefined {
  const type = TYPES.find(([start]) => base64.startsWith(start))?.[1]
  if (type === undefined) return undefined
  try {
    const text = atob(base64)
    const bytes = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
    return new Blob([bytes], { type })
  } catch {
    return undefined
  }
}

/** Ending of a file with this image: `png`. */
export function endingOf({ type }: Blob): string {
  return type.replace(/^image\//, '').replace(/\+.*$/, '')
}
