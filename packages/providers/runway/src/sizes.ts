import { type Call, type Json, pixelsOf, type VideoRequest } from '@headgate/core/provider'
import { models, type RunwayModel } from './models.ts'

/** Size of a video, as the API and as callers name it. */
export interface VideoSize {
  /** Value in the API, for example `1280:720`. */
  readonly value: string
  readonly resolution: string
  readonly ratio: string
}

const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9']
const RESOLUTIONS = ['480p', '720p', '1080p', '4k']

/** Size with the nearest names: `1104:832` is 4:3 at 720p. */
export function sizeOf(value: string): VideoSize {
  const [width, height] = sidesOf(value)
  const ratio = nearest(RATIOS, (one) => {
    const [x, y] = sidesOf(one)
    return width / height / (x / y)
  })
  const resolution = nearest(RESOLUTIONS, (one) => {
    const [x, y] = pixelsOf(one, ratio) ?? [1, 1]
    return (width * height) / (x * y)
  })
  return { value, resolution, ratio }
}

function sidesOf(size: string): [number, number] {
  const [width, height] = size.split(':').map(Number)
  return [width || 1, height || 1]
}

/** Name whose quotient is nearest to 1. */
function nearest(words: readonly string[], quotient: (word: string) => number): string {
  const far = (word: string) => Math.abs(Math.log(quotient(word)))
  return words.reduce((best, word) => (far(word) < far(best) ? word : best))
}

export function hasFrame({ firstFrame, lastFrame }: VideoRequest): boolean {
  return firstFrame !== undefined || lastFrame !== undefined
}

/** Value of `ratio` in pixels for a request. */
function sizeFor(request: VideoRequest, { sizes, textSizes, needsSize }: RunwayModel): string | undefined {
  const { resolution, ratio } = request
  const shape = ratio === 'adaptive' ? undefined : ratio
  if (!needsSize && resolution === undefined && shape === undefined) return undefined
  const listed = hasFrame(request) ? sizes : (textSizes ?? sizes)
  if (!listed) return pixelsOf(resolution ?? '720p', shape ?? '16:9')?.join(':')
  return listed.find((value) => {
    const size = sizeOf(value)
    return (resolution === undefined || size.resolution === resolution) && (shape === undefined || size.ratio === shape)
  })
}

/** Fields for resolution and ratio of a model. */
export function sizeFields(request: VideoRequest, model: RunwayModel, call: Call): Json {
  const { resolution, ratio } = request
  const isFollowing = model.follows !== undefined && hasFrame(request)
  const isBare = !hasFrame(request) && request.images.length + request.videos.length === 0
  if (ratio === 'adaptive' && isBare && model.follows !== 'auto')
    call.lose('ratio', 'there is no input with a ratio to follow', 'changed')
  if (model.follows === 'auto' && (isFollowing || ratio === 'adaptive'))
    return { ratio: `auto_${resolution ?? '720p'}` }
  if (model.resolutions && (isFollowing || !model.sizes)) {
    const named = resolution && model.resolutions[resolution]
    if (named && named !== resolution) call.lose('resolution', `replaced by ${named}`, 'changed')
    // A video from text does not accept `adaptive`, and a value is required.
    const shape = isBare && model.ratios?.includes('adaptive') && (ratio ?? 'adaptive') === 'adaptive' ? '16:9' : ratio
    return { resolution: named, ratio: isFollowing || shape === undefined ? undefined : shape }
  }
  return { ratio: sizeFor(request, model) }
}

/** Combinations of resolution and ratio that a model does not support. */
export function refusals(request: VideoRequest): readonly string[] {
  const model = models[request.model]
  if (!model) return []
  const { ratio, resolution = 'any resolution' } = request
  if (model.follows && hasFrame(request))
    return ratio === undefined || ratio === 'adaptive'
      ? []
      : ['The video has the ratio of the frame: omit `ratio`, or set it to `adaptive`.']
  const isSizeless =
    model.sizes !== undefined &&
    sizeFor({ ...request, ratio: ratio ?? 'adaptive' }, { ...model, needsSize: true }) === undefined
  return isSizeless
    ? [`There is no size of ${ratio ?? 'any ratio'} at ${resolution}${hasFrame(request) ? '' : ' from text alone'}.`]
    : []
}
