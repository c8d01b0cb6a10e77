import type { Json, VideoCapabilities, VideoMedia, VideoRequest, VideoSupport } from '@headgate/core/provider'
import { compact } from '../../json.ts'
import { png } from '../chat/scenarios/bytes.ts'
import type { VideoMeaning } from './facts.ts'

/** Request that uses one ability, and the meaning that the vendor must read from it. */
export interface VideoCase {
  /** Name in messages, for example `duration 5 with a first frame`. */
  readonly name: string
  /** Member of {@link VideoCapabilities} that claims the ability. */
  readonly ability: keyof VideoCapabilities
  readonly request: VideoRequest
  readonly due: VideoMeaning
}

export const TEXT = 'A cat surfs at dawn, in the style of an old film – “waves”.'
const FIRST = 'https://media.example.com/first.png'
const LAST = 'https://media.example.com/last.jpg'
/** Maximum number of media of one kind in a request; also the limit for vendors that accept more. */
const MANY = 9

/** Abilities of a model. */
export function abilitiesOf({ capabilities }: VideoSupport, model: string): VideoCapabilities {
  return (typeof capabilities === 'function' ? capabilities(model) : capabilities) ?? {}
}

type VideoOptions = Partial<Omit<VideoRequest, 'model' | 'intent' | 'expiresAfter' | 'body'>>

/** Video request. */
export function requestOf(
  model: string,
  given: VideoOptions,
  intent = '0b8f6c1e-5b7e-4c52-9a53-6f2c1d0e9a77',
): VideoRequest {
  const request = { model, intent, text: TEXT, images: [], videos: [], audios: [], expiresAfter: 172_800, ...given }
  return { ...request, body: arkBody(request) }
}

/** Request in the Ark wire format with an unknown field. */
export function arkBody({ model, ...request }: Omit<VideoRequest, 'body'>): Json {
  const media = (kind: 'image' | 'video' | 'audio', role: string, one: VideoMedia | undefined): Json[] =>
    one ? [{ type: `${kind}_url`, [`${kind}_url`]: { url: addressOf(one) }, role }] : []
  return compact<Json>({
    model,
    content: [
      ...(request.text === '' ? [] : [{ type: 'text', text: request.text }]),
      ...media('image', 'first_frame', request.firstFrame),
      ...media('image', 'last_frame', request.lastFrame),
      ...request.images.flatMap((one) => media('image', 'reference_image', one)),
      ...request.videos.flatMap((one) => media('video', 'reference_video', one)),
      ...request.audios.flatMap((one) => media('audio', 'reference_audio', one)),
    ],
    duration: request.duration,
    ratio: request.ratio,
    resolution: request.resolution,
    seed: request.seed,
    generate_audio: request.audio,
    watermark: request.watermark,
    camera_fixed: request.cameraFixed,
    safety_identifier: request.user,
  })
}

function addressOf({ url, base64, type }: VideoMedia): string {
  return url ?? `data:${type};base64,${base64}`
}

/** Meaning that the vendor must read from a request. */
function dueOf({ text, firstFrame, lastFrame, images, videos, audios, ...options }: VideoOptions): VideoMeaning {
  const list = (media: readonly VideoMedia[] = []): string[] | undefined =>
    media.length > 0 ? media.map(addressOf) : undefined
  return compact<VideoMeaning>({
    text: text ?? TEXT,
    firstFrame: firstFrame && addressOf(firstFrame),
    lastFrame: lastFrame && addressOf(lastFrame),
    images: list(images),
    videos: list(videos),
    audios: list(audios),
    ...options,
  })
}

/** Requests for each ability of a model, with each kind of input. */
export function asksOf(can: VideoCapabilities, model: string): VideoCase[] {
  const inputs = inputsOf(can)
  const asks = inputs.map(({ ability, name, given }) => ask(ability, name, model, given))
  // Vendors have separate endpoints for text and for frames, which can encode an option differently.
  const framed = inputs.find(({ ability }) => ability === 'frames')
  const bases = inputs.filter((input, at) => at === 0 || input === framed)
  const options = bases.flatMap((base) =>
    optionsOf(can).map(([ability, option]) =>
      ask(ability, `${Object.entries(option).flat().join(' ')} with ${base.name}`, model, { ...base.given, ...option }),
    ),
  )
  return [...asks, ...options]
}

/** Minimal request that a model accepts. */
export function plainAsk(can: VideoCapabilities, model: string): VideoCase {
  const [first] = inputsOf(can)
  return first ? ask(first.ability, first.name, model, first.given) : ask('text', 'a text', model, {})
}

function ask(ability: VideoCase['ability'], name: string, model: string, given: VideoOptions): VideoCase {
  return { ability, name, request: requestOf(model, given), due: dueOf(given) }
}

interface Input {
  readonly ability: VideoCase['ability']
  readonly name: string
  readonly given: VideoOptions
}

/** Image with unique bytes after its end. */
function pngOf(name: string): string {
  return Buffer.concat([Buffer.from(png(), 'base64'), Buffer.from(name)]).toString('base64')
}

function inputsOf(can: VideoCapabilities): Input[] {
  const { text, frames = 'none', takes } = can
  const kinds = takes ? [takes] : (['url', 'base64'] as const)
  const image = (kind: 'url' | 'base64', url: string): VideoMedia =>
    kind === 'url' ? { url } : { base64: pngOf(url), type: 'image/png' }
  const references = (kind: 'url' | 'base64', count: number): VideoMedia[] =>
    Array.from({ length: Math.min(count, MANY) }, (_, nth) =>
      image(kind, `https://media.example.com/reference-${nth}.png`),
    )
  const files = (count: number, name: string): VideoMedia[] =>
    Array.from({ length: Math.min(count, MANY) }, (_, nth) => ({ url: `https://media.example.com/${nth}-${name}` }))
  const framed = kinds.flatMap((kind): Input[] => {
    const [firstFrame, lastFrame] = [image(kind, FIRST), image(kind, LAST)]
    return [
      ...(frames === 'none' ? [] : [{ name: `a first frame as ${kind}`, given: { firstFrame } }]),
      ...(frames === 'none' || frames === 'first'
        ? []
        : [{ name: `both frames as ${kind}`, given: { firstFrame, lastFrame } }]),
      ...(frames === 'first-or-last' ? [{ name: `a last frame as ${kind}`, given: { lastFrame } }] : []),
    ].map((input) => ({ ability: 'frames', ...input }))
  })
  const { images = 0, videos = 0, audios = 0 } = can
  const [kind = 'url'] = kinds
  // Sound accompanies an image or a video if the model accepts both.
  const beside: VideoOptions =
    images > 0 ? { images: references(kind, 1) } : videos > 0 ? { videos: files(1, 'clip.mp4') } : {}
  const counts = (most: number): number[] => (most > 1 ? [1, most] : most > 0 ? [1] : [])
  return [
    ...(text === false ? [] : [{ ability: 'text', name: 'a text', given: {} } as const]),
    ...framed,
    ...kinds.flatMap((one) =>
      counts(images).map(
        (count): Input => ({
          ability: 'images',
          name: `${Math.min(count, MANY)} reference images as ${one}`,
          given: { images: references(one, count) },
        }),
      ),
    ),
    ...counts(videos).map(
      (count): Input => ({
        ability: 'videos',
        name: `${Math.min(count, MANY)} reference videos`,
        given: { videos: files(count, 'clip.mp4') },
      }),
    ),
    ...counts(audios).map(
      (count): Input => ({
        ability: 'audios',
        name: `${Math.min(count, MANY)} reference sounds`,
        given: { ...beside, audios: files(count, 'sound.mp3') },
      }),
    ),
  ]
}

function optionsOf(can: VideoCapabilities): [VideoCase['ability'], VideoOptions][] {
  const { durations = [], ratios = [], resolutions = [] } = can
  const seconds = 'min' in durations ? [...new Set([durations.min, durations.max])] : durations
  return [
    ...seconds.map((duration): [VideoCase['ability'], VideoOptions] => ['durations', { duration }]),
    ...(can.ownDuration ? [['ownDuration', { duration: -1 }] as [VideoCase['ability'], VideoOptions]] : []),
    ...ratios.map((ratio): [VideoCase['ability'], VideoOptions] => ['ratios', { ratio }]),
    ...resolutions.map((resolution): [VideoCase['ability'], VideoOptions] => ['resolutions', { resolution }]),
    ...(can.seed ? [0, 42, 2 ** 32 - 1].map((seed): [VideoCase['ability'], VideoOptions] => ['seed', { seed }]) : []),
    ...(can.audio === 'asked'
      ? [true, false].map((audio): [VideoCase['ability'], VideoOptions] => ['audio', { audio }])
      : []),
    ...(can.watermark
      ? [true, false].map((watermark): [VideoCase['ability'], VideoOptions] => ['watermark', { watermark }])
      : []),
    ...(can.cameraFixed
      ? [true, false].map((cameraFixed): [VideoCase['ability'], VideoOptions] => ['cameraFixed', { cameraFixed }])
      : []),
    ...(can.user ? [['user', { user: 'an-end-user-0417' }] as [VideoCase['ability'], VideoOptions]] : []),
  ]
}
