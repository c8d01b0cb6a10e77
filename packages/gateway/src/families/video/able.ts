import { changed, compact, dropped, type Loss } from '@headgate/core/canonical'
import type { VideoAbilities, VideoRequest } from '@headgate/core/contract'
import type { Asked, AskedMedia } from './asked.ts'

/** A request as a model can do it, what is lost of it, and what of it the model can not do at all: a sentence each. */
export interface Fitted {
  readonly fields: Pick<
    VideoRequest,
    'duration' | 'ratio' | 'resolution' | 'seed' | 'audio' | 'watermark' | 'cameraFixed' | 'user'
  >
  readonly losses: readonly Loss[]
  /** The field at fault, and why. */
  readonly refusals: readonly (readonly [path: string, why: string])[]
}

type Refusals = (readonly [string, string])[]

const seconds = (durations: NonNullable<VideoAbilities['durations']>): string =>
  'min' in durations ? `${durations.min} to ${durations.max}` : durations.join(', ')

/** The duration that is made: what is asked for, else the next longer one. */
function fitDuration(
  asked: number | undefined,
  { durations, ownDuration }: VideoAbilities,
  losses: Loss[],
  refusals: Refusals,
) {
  if (asked === undefined || (asked === -1 && ownDuration !== false && (ownDuration || !durations))) return asked
  if (asked === -1) {
    dropped(losses, 'duration', 'the model does not choose it')
    return undefined
  }
  if (!durations) return asked
  const longest = 'min' in durations ? durations.max : Math.max(...durations)
  if (asked > longest) {
    refusals.push(['duration', `it makes videos of ${seconds(durations)} seconds, not of ${asked}`])
    return undefined
  }
  const fitting =
    'min' in durations ? Math.max(durations.min, asked) : Math.min(...durations.filter((one) => one >= asked))
  if (fitting !== asked) changed(losses, 'duration', 'the next longer one is made')
  return fitting
}

/** A word of a closed list. */
function fitWord(
  field: 'ratio' | 'resolution',
  asked: string | undefined,
  allowed: readonly string[] | undefined,
  refusals: Refusals,
) {
  if (asked === undefined || !allowed || allowed.includes(asked)) return asked
  refusals.push([field, `its ${field} is one of ${allowed.join(', ') || 'none'}, not ${asked.slice(0, 32)}`])
  return undefined
}

/** A wish that changes little: what can not be had is declared. */
function fitWish<T>(path: string, value: T | undefined, can: boolean | undefined, losses: Loss[]): T | undefined {
  if (value === undefined || can !== false) return value
  if (value !== false) dropped(losses, path, 'the model has nothing like it')
  return undefined
}

function fitAudio(
  asked: boolean | undefined,
  can: VideoAbilities['audio'],
  losses: Loss[],
  refusals: Refusals,
): boolean | undefined {
  if (asked === undefined || can === undefined || can === 'asked') return asked
  if (asked && can === 'never') refusals.push(['generate_audio', 'it makes no sound'])
  if (!asked && can === 'always') changed(losses, 'generate_audio', 'the model always makes sound')
  return undefined
}

function checkFrames({ firstFrame, lastFrame }: Asked, { frames }: VideoAbilities, refusals: Refusals): void {
  if (frames === undefined) return
  if (firstFrame && frames === 'none') refusals.push([firstFrame.path, 'it takes no frames'])
  if (!lastFrame || frames === 'first-or-last') return
  if (frames !== 'first-and-last') refusals.push([lastFrame.path, 'it takes no last frame'])
  else if (!firstFrame) refusals.push([lastFrame.path, 'it takes a last frame beside a first one only'])
}

function checkReferences(
  kind: string,
  given: readonly AskedMedia[],
  most: number | undefined,
  refusals: Refusals,
): void {
  const over = most === undefined ? undefined : given[most]
  if (over)
    refusals.push([
      over.path,
      most === 0 ? `it takes no reference ${kind}` : `it takes ${most} reference ${kind} at most`,
    ])
}

/** Bytes can not become a URL; an image's URL is fetched where only bytes are taken. */
function checkMedia(asked: Asked, { takes }: VideoAbilities, refusals: Refusals): void {
  const { firstFrame, lastFrame, images } = asked
  if (takes === 'url')
    for (const media of [firstFrame, lastFrame, ...images])
      if (media?.base64 !== undefined) refusals.push([media.path, 'it takes images by URL only'])
}

/** What of a request a model with these abilities does. */
export function fitRequest(asked: Asked, can: VideoAbilities): Fitted {
  const losses: Loss[] = [...asked.losses]
  const refusals: Refusals = []
  const isBare =
    !asked.firstFrame && !asked.lastFrame && asked.images.length + asked.videos.length + asked.audios.length === 0
  if (isBare && can.text === false) refusals.push(['content', 'it makes no video of text alone'])
  if (asked.draft) refusals.push([asked.draft.path, 'it has no drafts'])
  checkFrames(asked, can, refusals)
  checkReferences('images', asked.images, can.images, refusals)
  checkReferences('videos', asked.videos, can.videos, refusals)
  checkReferences('audios', asked.audios, can.audios, refusals)
  checkMedia(asked, can, refusals)
  const isAdaptive = asked.ratio === 'adaptive' && can.ratios !== undefined && !can.ratios.includes('adaptive')
  if (isAdaptive) dropped(losses, 'ratio', 'the model chooses it')
  const fields = {
    duration: fitDuration(asked.duration, can, losses, refusals),
    ratio: isAdaptive ? undefined : fitWord('ratio', asked.ratio, can.ratios, refusals),
    resolution: fitWord('resolution', asked.resolution?.toLowerCase(), can.resolutions, refusals),
    seed: fitWish('seed', asked.seed, can.seed, losses),
    audio: fitAudio(asked.audio, can.audio, losses, refusals),
    watermark: fitWish('watermark', asked.watermark, can.watermark, losses),
    cameraFixed: fitWish('camera_fixed', asked.cameraFixed, can.cameraFixed, losses),
    user: fitWish('safety_identifier', asked.user, can.user ?? false, losses),
  }
  return { fields: compact(fields), losses, refusals }
}
