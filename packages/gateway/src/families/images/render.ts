import { changed, compact, type Json, type Loss, type Usage } from '@headgate/core/canonical'
import type { Content, ImageSize } from '@headgate/core/contract'
import { writeFrame } from '@headgate/core/formats'
import type { ImagesInput } from './input.ts'
import { jsonWithPicture, type Picture, textWithPictures } from './pictures.ts'
import type { ImagesWire } from './plan.ts'
import { writtenUsage } from './usage.ts'

/** Response of an adapter, ready to be written. */
export interface ImagesOutput {
  readonly pictures: readonly Picture[]
  /** Links in place of base64; undefined = base64. */
  readonly links: readonly string[] | undefined
  readonly usage: Usage | undefined
  /** Cost in US dollars; null = unknown. */
  readonly cost: number | null
}

/** Written response. */
export interface WrittenImages {
  readonly content: Content
  readonly type: string
}

/** Writes a response in the caller's wire. */
export function renderImages(wire: ImagesWire, input: ImagesInput, output: ImagesOutput): WrittenImages {
  if (input.isStream) return { content: streamOf(wire, input, output), type: 'text/event-stream; charset=utf-8' }
  const entries = output.pictures.map((picture, index) => entryOf(wire, picture, output.links?.[index]))
  const pieces = entries.flatMap((entry, index) => (index === 0 ? entry : [',', ...entry]))
  const rest = JSON.stringify(wire === 'open-router' ? { usage: openRouterUsage(output) } : factsOf(input, output))
  const head = `{"created":${seconds()},"data":[`
  const content = textWithPictures([head, ...pieces, rest === '{}' ? ']}' : `],${rest.slice(1)}`])
  return { content, type: 'application/json' }
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000)
}

function entryOf(wire: ImagesWire, picture: Picture, link: string | undefined): (string | Picture)[] {
  const fields =
    wire === 'open-router' ? { media_type: picture.type } : compact<Json>({ revised_prompt: picture.revised })
  return link === undefined ? jsonWithPicture(fields, 'b64_json', picture) : [JSON.stringify({ url: link, ...fields })]
}

/** Facts that all pictures share, and tokens. */
function factsOf({ quality, background }: ImagesInput, { pictures, usage }: ImagesOutput): Json {
  const [first] = pictures
  const isSame = (of: (picture: Picture) => string | undefined): string | undefined => {
    const value = first && of(first)
    return pictures.every((picture) => of(picture) === value) ? value : undefined
  }
  return compact({
    background,
    output_format: isSame(({ type }) => type.replace(/^image\//, '')),
    quality,
    size: isSame(({ size }) => size && written(size)),
    usage: writtenUsage(usage),
  })
}

function written({ width, height }: ImageSize): string {
  return `${width}x${height}`
}

/** @see https://openrouter.ai/docs/api-reference/images */
function openRouterUsage({ usage, cost }: ImagesOutput): Json {
  const { input = 0, output = 0 } = usage ?? {}
  return compact({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    cost: cost ?? undefined,
  })
}

/** The finished images as events. */
function streamOf(wire: ImagesWire, input: ImagesInput, output: ImagesOutput): Content {
  const name = wire === 'generations' || wire === 'open-router' ? 'image_generation.completed' : 'image_edit.completed'
  const pieces = output.pictures.flatMap((picture) => {
    const facts = { type: name, created_at: seconds(), ...factsOf(input, output) }
    const own =
      wire === 'open-router'
        ? { type: name, created: seconds(), media_type: picture.type, usage: openRouterUsage(output) }
        : { background: 'opaque', quality: 'auto', ...facts }
    const [before = '', after = ''] = writeFrame({ event: name, data: '\u0001' }).split('\u0001')
    return [before, ...jsonWithPicture(own, 'b64_json', picture), after]
  })
  return textWithPictures([...pieces, ...(wire === 'open-router' ? [writeFrame({ data: '[DONE]' })] : [])])
}

/** Declares what the images differ in from the request. */
export function noteDifferences(
  { n, size: wanted }: ImagesInput,
  { size, format }: { readonly size?: ImageSize | undefined; readonly format?: string | undefined },
  pictures: readonly Picture[],
  losses: Loss[],
): void {
  if (pictures.length < n) changed(losses, 'n', `the provider returned ${pictures.length}`)
  for (const { size: made, type } of pictures) {
    const asked = size ?? wanted
    const isNoted = !size && losses.some(({ path }) => path === 'size')
    if (asked && made && !isNoted && written(asked) !== written(made))
      changed(losses, 'size', `the provider returned ${written(made)}`)
    if (format !== undefined && type !== `image/${format}`)
      changed(losses, 'output_format', `the provider returned ${type}`)
  }
}
