import type { Json } from '../canonical/json.ts'
import type { Call } from './exchange.ts'
import type { VideoMedia, VideoRequest } from './video.ts'
import { mediaUrl } from './video-values.ts'

/** Members of a request with different names in the models of multi-model platforms. */
export const VIDEO_INPUTS = [
  'firstFrame',
  'lastFrame',
  'images',
  'videos',
  'audios',
  'duration',
  'ratio',
  'resolution',
  'seed',
  'audio',
  'cameraFixed',
  'user',
] as const satisfies readonly (keyof VideoRequest)[]

/** Member of a request that can have a different name in each model. */
export type VideoInput = (typeof VIDEO_INPUTS)[number]

/** Names of a model's inputs. Null if the model lacks the input. */
export type VideoInputNames = { readonly [Key in VideoInput]?: string | null | undefined }

/** Required inputs: without them, the video would not match the request. All others are preferences. */
const NEEDED: { readonly [Key in VideoInput]?: string } = {
  firstFrame: 'a first frame',
  lastFrame: 'a last frame',
  images: 'reference images',
  videos: 'reference videos',
  audios: 'reference audio',
  duration: 'a duration',
  ratio: 'a ratio with these inputs',
  resolution: 'a resolution',
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== 'adaptive' && value !== -1
}

/**
 * Reasons why a model with these inputs cannot serve a request, for `accepts`.
 * @example missingInputs(request, { firstFrame: 'image_url' }) // ['it does not support a duration']
 */
export function missingInputs(request: VideoRequest, names: VideoInputNames): string[] {
  return VIDEO_INPUTS.flatMap((input) => {
    const what = NEEDED[input]
    return what !== undefined && isSet(request[input]) && !names[input] ? [`it does not support ${what}`] : []
  })
}

/**
 * Inputs of a request under a model's names. Media are URLs. Preferences without an input are declared as lost.
 * @param written values in the platform's notation, which replace those in the request.
 * @example namedInputs(request, { firstFrame: 'image_url', seed: 'seed' }, call) // { image_url: 'https://…', seed: 7 }
 */
export function namedInputs(
  request: VideoRequest,
  names: VideoInputNames,
  call: Pick<Call, 'lose'>,
  written: { readonly [Key in VideoInput]?: unknown } = {},
): Json {
  const { firstFrame, lastFrame, images, videos, audios } = request
  const values: { readonly [Key in VideoInput]?: unknown } = {
    ...request,
    firstFrame: firstFrame && mediaUrl(firstFrame),
    lastFrame: lastFrame && mediaUrl(lastFrame),
    images: urlsOf(images),
    videos: urlsOf(videos),
    audios: urlsOf(audios),
    ...written,
  }
  const inputs: Json = {}
  for (const input of VIDEO_INPUTS) {
    const name = names[input]
    if (values[input] === undefined) continue
    if (name) inputs[name] = values[input]
    else if (NEEDED[input] === undefined) call.lose(input, 'the model has no such input')
  }
  return inputs
}

function urlsOf(media: readonly VideoMedia[]): string[] | undefined {
  return media.length > 0 ? media.map(mediaUrl) : undefined
}
