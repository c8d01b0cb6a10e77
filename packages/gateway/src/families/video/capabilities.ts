import { changed, compact, dropped, type Loss } from '@headgate/core/canonical'
import type { VideoCapabilities, VideoRequest } from '@headgate/core/contract'
import type { InputMedia, VideoTaskInput } from './input.ts'

/** A request adapted to a model, with its losses and the fields that the model does not support. */
export interface FittedRequest {
  readonly fields: Pick<
    VideoRequest,
    'duration' | 'ratio' | 'resolution' | 'seed' | 'audio' | 'watermark' | 'cameraFixed' | 'user'
  >
  readonly losses: readonly Loss[]
  /** The unsupported fields, with a sentence for each. */
  readonly refusals: readonly (readonly [path: string, why: string])[]
}

type Refusals = (readonly [string, string])[]

const seconds = (durations: NonNullable<VideoCapabilities['durations']>): string =>
  'min' in durations ? `${durations.min} to ${durations.max}` : durations.join(', ')

/** The requested duration, else the next longer duration of the model. */
function fitDuration(
  asked: number | undefined,
  { durations, ownDuration }: VideoCapabilities,
  losses: Loss[],
  refusals: Refusals,
) {
  if (asked === undefined || (asked === -1 && ownDuration !== false && (ownDuration || !durations))) return asked
  if (asked === -1) {
    dropped(losses, 'duration', 'the model cannot choose the duration')
    return undefined
  }
  if (!durations) return asked
  const longest = 'min' in durations ? durations.max : Math.max(...durations)
  if (asked > longest) {
    refusals.push(['duration', `it supports durations of ${seconds(durations)} seconds, not ${asked}`])
    return undefined
  }
  const fitting =
    'min' in durations ? Math.max(durations.min, asked) : Math.min(...durations.filter((one) => one >= asked))
  if (fitting !== asked) changed(losses, 'duration', 'changed to the next longer duration')
  return fitting
}

/** A value of a fixed list. */
function fitChoice(
  field: 'ratio' | 'resolution',
  asked: string | undefined,
  allowed: readonly string[] | undefined,
  refusals: Refusals,
) {
  if (asked === undefined || !allowed || allowed.includes(asked)) return asked
  refusals.push([field, `it supports ${field} ${allowed.join(', ') || 'none'}, not ${asked.slice(0, 32)}`])
  return undefined
}

/** A minor option. If the model does not support it, it is a loss instead of an error. */
function fitOption<T>(path: string, value: T | undefined, can: boolean | undefined, losses: Loss[]): T | undefined {
  if (value === undefined || can !== false) return value
  if (value !== false) dropped(losses, path, 'the model does not support it')
  return undefined
}

function fitAudio(
  asked: boolean | undefined,
  can: VideoCapabilities['audio'],
  losses: Loss[],
  refusals: Refusals,
): boolean | undefined {
  if (asked === undefined || can === undefined || can === 'asked') return asked
  if (asked && can === 'never') refusals.push(['generate_audio', 'it does not generate audio'])
  if (!asked && can === 'always') changed(losses, 'generate_audio', 'the model always generates audio')
  return undefined
}

function checkFrames(
  { firstFrame, lastFrame }: VideoTaskInput,
  { frames }: VideoCapabilities,
  refusals: Refusals,
): void {
  if (frames === undefined) return
  if (firstFrame && frames === 'none') refusals.push([firstFrame.path, 'it does not accept frames'])
  if (!lastFrame || frames === 'first-or-last') return
  if (frames !== 'first-and-last') refusals.push([lastFrame.path, 'it does not accept a last frame'])
  else if (!firstFrame) refusals.push([lastFrame.path, 'it accepts a last frame only with a first frame'])
}

function checkReferences(
  kind: string,
  given: readonly InputMedia[],
  most: number | undefined,
  refusals: Refusals,
): void {
  const over = most === undefined ? undefined : given[most]
  if (over)
    refusals.push([
      over.path,
      most === 0 ? `it does not accept reference ${kind}` : `it accepts at most ${most} reference ${kind}`,
    ])
}

/**
 * Rejects inline images if the model accepts only URLs. The other direction works, since the gateway can fetch URLs.
 */
function checkMedia(asked: VideoTaskInput, { takes }: VideoCapabilities, refusals: Refusals): void {
  const { firstFrame, lastFrame, images } = asked
  if (takes === 'url')
    for (const media of [firstFrame, lastFrame, ...images])
      if (media?.base64 !== undefined) refusals.push([media.path, 'it accepts images only by URL'])
}

/** Adapts a request to a model's capabilities. */
export function fitRequest(asked: VideoTaskInput, can: VideoCapabilities): FittedRequest {
  const losses: Loss[] = [...asked.losses]
  const refusals: Refusals = []
  const isBare =
    !asked.firstFrame && !asked.lastFrame && asked.images.length + asked.videos.length + asked.audios.length === 0
  if (isBare && can.text === false) refusals.push(['content', 'it needs an image, a video or audio, not only text'])
  if (asked.draft) refusals.push([asked.draft.path, 'it does not support drafts'])
  checkFrames(asked, can, refusals)
  checkReferences('images', asked.images, can.images, refusals)
  checkReferences('videos', asked.videos, can.videos, refusals)
  checkReferences('audios', asked.audios, can.audios, refusals)
  checkMedia(asked, can, refusals)
  const isAdaptive = asked.ratio === 'adaptive' && can.ratios !== undefined && !can.ratios.includes('adaptive')
  if (isAdaptive) dropped(losses, 'ratio', 'the model chooses the ratio')
  const fields = {
    duration: fitDuration(asked.duration, can, losses, refusals),
    ratio: isAdaptive ? undefined : fitChoice('ratio', asked.ratio, can.ratios, refusals),
    resolution: fitChoice('resolution', asked.resolution?.toLowerCase(), can.resolutions, refusals),
    seed: fitOption('seed', asked.seed, can.seed, losses),
    audio: fitAudio(asked.audio, can.audio, losses, refusals),
    watermark: fitOption('watermark', asked.watermark, can.watermark, losses),
    cameraFixed: fitOption('camera_fixed', asked.cameraFixed, can.cameraFixed, losses),
    user: fitOption('safety_identifier', asked.user, can.user ?? false, losses),
  }
  return { fields: compact(fields), losses, refusals }
}
