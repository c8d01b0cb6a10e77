import { changed, compact, dropped, isDataUrl, type Json, type Loss, readDataUrl } from '@headgate/core/canonical'
import type { VideoMedia } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { parsed } from '../../edge/parsed.ts'
import { type VideoTaskBody, videoTaskSchema } from './schema.ts'
import { takeSwitches } from './switches.ts'

/** Frames of a second, where a task's length is said in frames. */
const FRAMES_PER_SECOND = 24
const DEFAULT_EXPIRY = 172_800

/** A medium, and the path of the field that has it. */
export interface AskedMedia extends VideoMedia {
  readonly path: string
}

/** What a caller asks for, whoever makes it. */
export interface Asked {
  readonly body: VideoTaskBody
  readonly text: string
  readonly firstFrame?: AskedMedia
  readonly lastFrame?: AskedMedia
  readonly images: readonly AskedMedia[]
  readonly videos: readonly AskedMedia[]
  readonly audios: readonly AskedMedia[]
  /** A task of the caller's whose draft is rendered: our id, and its path. */
  readonly draft?: { readonly id: string; readonly path: string }
  readonly duration?: number
  readonly ratio?: string
  readonly resolution?: string
  readonly seed?: number
  readonly audio?: boolean
  readonly watermark?: boolean
  readonly cameraFixed?: boolean
  readonly user?: string
  readonly tier: string
  /** Seconds. */
  readonly expiresAfter: number
  readonly callbackUrl?: string
  /** What has no place where the wire is another one. */
  readonly losses: readonly Loss[]
}

/** Fields of the body that a request of any vendor has a place for. */
const CARRIED: ReadonlySet<string> = new Set([
  ...[
    'model',
    'content',
    'resolution',
    'ratio',
    'duration',
    'frames',
    'seed',
    'camera_fixed',
    'watermark',
    'generate_audio',
  ],
  ...['execution_expires_after', 'callback_url', 'safety_identifier'],
])
/** What says nothing, said explicitly. */
const USUAL: Readonly<Record<string, unknown>> = {
  draft: false,
  service_tier: 'default',
  priority: 0,
  output_format: 'mp4',
  return_last_frame: false,
}

type Item = VideoTaskBody['content'][number]

function mediaOf(url: string, path: string): AskedMedia {
  if (!isDataUrl(url)) return { path, url }
  const { mime, data } = readDataUrl(url, path)
  return { path, base64: data, type: mime }
}

/** Frames and references, by their roles. */
function sorted(items: readonly Item[]): Pick<Asked, 'firstFrame' | 'lastFrame' | 'images' | 'videos' | 'audios'> {
  const images: AskedMedia[] = []
  const videos: AskedMedia[] = []
  const audios: AskedMedia[] = []
  const frames: { first?: AskedMedia; last?: AskedMedia } = {}
  const pictures = items.filter(({ type }) => type === 'image_url').length
  for (const [index, item] of items.entries()) {
    const at = `content[${index}]`
    if (item.type === 'video_url') videos.push(mediaOf(item.video_url.url, `${at}.video_url.url`))
    else if (item.type === 'audio_url') audios.push(mediaOf(item.audio_url.url, `${at}.audio_url.url`))
    else if (item.type === 'image_url') {
      const image = mediaOf(item.image_url.url, `${at}.image_url.url`)
      const role = item.role ?? (pictures === 1 ? 'first_frame' : undefined)
      if (role === 'reference_image') images.push(image)
      else if (role === 'first_frame' || role === 'last_frame') {
        const place = role === 'first_frame' ? 'first' : 'last'
        if (frames[place]) throw invalid(`${at}.role`, `There are two images with the role "${role}". Send one.`)
        frames[place] = image
      } else if (role === undefined) throw invalid(`${at}.role`, `Of several images each needs a role: ${ROLES}.`)
      else throw invalid(`${at}.role`, `The role of an image is one of ${ROLES}.`)
    }
  }
  const { first, last } = frames
  const [reference] = [...images, ...videos, ...audios]
  if ((first || last) && reference)
    throw invalid(reference.path, 'First and last frames can not be mixed with references. Send the one or the other.')
  return compact({ firstFrame: first, lastFrame: last, images, videos, audios })
}

const ROLES = '"first_frame", "last_frame", "reference_image"'

function durationOf(
  duration: number | null | undefined,
  frames: number | null | undefined,
  losses: Loss[],
): number | undefined {
  if (frames == null) return duration ?? undefined
  changed(losses, 'frames', 'the length is said in seconds')
  return Math.max(1, Math.round(frames / FRAMES_PER_SECOND))
}

/** What has no place in a request of another wire. */
function unplaced(body: VideoTaskBody): Loss[] {
  const losses: Loss[] = []
  for (const [key, value] of Object.entries(body)) {
    if (CARRIED.has(key) || value == null || value === USUAL[key]) continue
    dropped(
      losses,
      key,
      Object.hasOwn(videoTaskSchema.shape, key) ? 'there is nothing like it' : 'the field is not known',
    )
  }
  return losses
}

/** Reads the body of a task. @throws HeadgateError that names the field. */
export function readAsked(json: Json): Asked {
  const body = parsed(videoTaskSchema, json, 'content')
  const losses = unplaced(body)
  const texts = body.content.flatMap((item) => (item.type === 'text' ? [takeSwitches(item.text)] : []))
  const switches: Json = Object.assign({}, ...texts.map(({ fields }) => fields))
  // Both say how long it is: the body has said so already.
  if (body.duration != null || body.frames != null) for (const length of ['duration', 'frames']) delete switches[length]
  const fields = parsed(videoTaskSchema.pick(SWITCHED), { ...switches, ...compact(given(body)) }, 'content')
  if (switches['framespersecond'] !== undefined) dropped(losses, 'content', 'the model chooses the frames of a second')
  const draftAt = body.content.findIndex(({ type }) => type === 'draft_task')
  const draft = body.content[draftAt]
  const text = texts.map(({ text }) => text).join('\n')
  const media = sorted(body.content)
  const { images, videos, audios } = media
  const hasMedia = media.firstFrame || media.lastFrame || images.length + videos.length + audios.length > 0
  if (text.trim() === '' && !hasMedia && !draft)
    throw invalid('content', 'The content is empty: send a text, an image, or both.')
  return {
    body,
    ...media,
    text,
    ...(draft?.type === 'draft_task' && {
      draft: { id: draft.draft_task.id, path: `content[${draftAt}].draft_task.id` },
    }),
    tier: body.service_tier ?? 'default',
    expiresAfter: body.execution_expires_after ?? DEFAULT_EXPIRY,
    losses,
    ...compact({
      duration: durationOf(fields.duration, fields.frames, losses),
      ratio: fields.ratio ?? undefined,
      resolution: fields.resolution ?? undefined,
      seed: fields.seed == null || fields.seed < 0 ? undefined : fields.seed,
      audio: body.generate_audio ?? undefined,
      watermark: fields.watermark ?? undefined,
      cameraFixed: fields.camera_fixed ?? undefined,
      user: body.safety_identifier ?? undefined,
      callbackUrl: body.callback_url || undefined,
    }),
  }
}

const SWITCHED = {
  resolution: true,
  ratio: true,
  duration: true,
  frames: true,
  seed: true,
  camera_fixed: true,
  watermark: true,
} as const

/** What the body says of what switches may say too: it counts more. */
function given({ resolution, ratio, duration, frames, seed, camera_fixed, watermark }: VideoTaskBody): Json {
  const pick = { resolution, ratio, duration, frames, seed, camera_fixed, watermark }
  return Object.fromEntries(Object.entries(pick).map(([key, value]) => [key, value ?? undefined]))
}
