import {
  HeadgateError,
  type HttpResponse,
  type ImagesAbilities,
  type ImagesRequest,
  type ImagesResponse,
  type ImagesSupport,
  imageBase64,
  type Json,
  type ModelFacts,
  type Next,
  next,
  number,
  object,
  pollDelayMs,
  text,
  unitUsage,
} from '@headgate/core/provider'

const any: ImagesAbilities = {
  seed: true,
  formats: ['png', 'jpeg'],
  takes: 'urls',
  more: ['prompt_upsampling', 'safety_tolerance', 'steps', 'guidance', 'raw', 'image_prompt_strength'],
}
/** Ratios from 21:9 to 9:21. */
const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '4:5', '5:4', '21:9', '9:21']

/** Abilities by the beginning of the name; the first that matches applies. */
const ABILITIES: readonly (readonly [string, ImagesAbilities])[] = [
  ['flux-2-klein', { ...any, images: 4, sizes: { multiple: 16, pixels: [4_096, 4_194_304], ratio: 4 } }],
  ['flux-2', { ...any, images: 8, sizes: { multiple: 16, pixels: [65_536, 4_194_304], ratio: 4 } }],
  ['flux-kontext', { ...any, images: 4, ratios: RATIOS }],
  ['flux-pro-1.1-ultra', { ...any, images: 1, ratios: RATIOS }],
  // Without a mask, the image is transparent where it changes.
  ['flux-pro-1.0-fill', { ...any, images: 1, mask: 'white' }],
]
const FIRST: ImagesAbilities = {
  ...any,
  images: 1,
  sizes: { multiple: 32, pixels: [65_536, 2_073_600], ratio: 5.6, side: 1_440 },
}

function abilitiesOf(model: string): ImagesAbilities {
  return ABILITIES.find(([start]) => model.startsWith(start))?.[1] ?? FIRST
}

/** Names of the images of a request. */
function inputsOf({ model, images, mask }: ImagesRequest): Json {
  const name = model.includes('fill') ? 'image' : /^flux-(2|kontext)/.test(model) ? 'input_image' : 'image_prompt'
  const inputs: Json = {}
  for (const [index, image] of images.entries())
    inputs[index === 0 ? name : `${name}_${index + 1}`] = imageBase64(image)
  if (mask) inputs['mask'] = imageBase64(mask)
  return inputs
}

/**
 * Images of FLUX: a task, whose URL to poll can be on a regional host. With another base URL, polls stay on its host.
 * The response to the creation states the cost in credits.
 * @see https://docs.bfl.ai/quick_start/generating_images
 */
export function imagesSupport(baseUrl: string): ImagesSupport {
  const isOwn = /^https:\/\/([a-z0-9-]+\.)*bfl\.ai(\/|$)/.test(baseUrl)
  return {
    can: abilitiesOf,
    request(input) {
      const { model, prompt, size, ratio, seed, format, more } = input
      const shape = { width: size?.width, height: size?.height, aspect_ratio: ratio }
      const json = { ...more, prompt, ...shape, seed, output_format: format, ...inputsOf(input) }
      return { method: 'POST', url: `/v1/${encodeURIComponent(model)}`, body: { json } }
    },
    response(answer, _input, earlier) {
      const [created = answer] = earlier
      const { id, polling_url: url } = object(created.body) ?? {}
      const poll = { method: 'GET' as const, url: pollUrl(text(id), text(url), isOwn) }
      return earlier.length === 0 ? next(poll, pollDelayMs(earlier)) : readState(answer, created, earlier, poll)
    },
  }
}

function pollUrl(id: string | undefined, url: string | undefined, isOwn: boolean): string {
  if (url !== undefined && URL.canParse(url)) {
    const { pathname, search } = new URL(url)
    return isOwn ? url : `${pathname}${search}`
  }
  if (id !== undefined) return `/v1/get_result?id=${encodeURIComponent(id)}`
  throw new HeadgateError('upstream', 'Black Forest Labs accepted the task, but its response has no id.')
}

function readState(
  answer: HttpResponse,
  created: HttpResponse,
  earlier: readonly HttpResponse[],
  poll: Parameters<typeof next>[0],
): ImagesResponse | Next {
  const { status, result, details } = object(answer.body) ?? {}
  const sample = text(object(result)?.['sample'])
  const usage = costOf(created)
  if (status === 'Ready' && sample) return { images: [{ url: sample }], usage }
  if (status === 'Request Moderated' || status === 'Content Moderated')
    return { images: [], blocked: `${status}: ${reasonOf(details) ?? 'no reason given'}`, usage }
  if (status === 'Pending' || status === 'Queued' || status === 'Processing') return next(poll, pollDelayMs(earlier))
  const reason = `The task of Black Forest Labs ended with the state ${text(status) ?? 'unknown'}.`
  throw new HeadgateError('upstream', reasonOf(details) ?? reason)
}

/** Thousandths of a credit, since a cost can be 1.4 credits. */
function costOf({ body }: HttpResponse): ImagesResponse['usage'] {
  const credits = number(object(body)?.['cost'])
  return unitUsage(credits === undefined ? { images: 1 } : { millicredits: Math.round(credits * 1_000) })
}

function reasonOf(details: unknown): string | undefined {
  const reasons = object(details)?.['Moderation Reasons']
  return Array.isArray(reasons) ? reasons.join(', ') : text(details)
}

const source = 'docs.bfl.ai/quick_start/pricing@2026-11-26'

/** Models. A credit is $0.01, and responses state the credits of each image, so no price depends on the size. */
export const models: readonly ModelFacts[] = [
  'flux-2-max',
  'flux-2-pro',
  'flux-2-flex',
  'flux-2-klein-9b',
  'flux-2-klein-4b',
  'flux-kontext-max',
  'flux-kontext-pro',
  'flux-pro-1.1-ultra',
  'flux-pro-1.1',
  'flux-pro-1.0-fill',
].map((id) => ({
  id,
  families: ['images'],
  price: { id: source, input: 0, output: 0, units: { millicredits: 10_000_000_000 } },
}))
