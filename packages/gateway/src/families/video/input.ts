import { changed, compact, dropped, isDataUrl, type Json, type Loss, readDataUrl } from '@headgate/core/canonical'
import type { VideoMedia } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { parsed } from '../../edge/parsed.ts'
import { type VideoTaskBody, videoTaskSchema } from './schema.ts'
import { takeSwitches } from './switches.ts'

/** Frame rate to convert a length in frames to seconds. */
const FRAMES_PER_SECOND = 24
const DEFAULT_EXPIRY = 172_800

/** A media input with the path of its field. */
export interface InputMedia extends VideoMedia {
  readonly path: string
}

/** Video request, read from the Ark wire. */
export interface VideoTaskInput {
  readonly body: VideoTaskBody
  readonly text: string
  readonly firstFrame?: InputMedia
  readonly lastFrame?: InputMedia
  readonly images: readonly InputMedia[]
  readonly videos: readonly InputMedia[]
  readonly audios: readonly InputMedia[]
  /** Draft task of the caller to render: its gateway id and the path of the field. */
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
  /** Seconds until the task expires. */
  readonly expiresAfter: number
  readonly callbackUrl?: string
  /** Fields that only the Ark wire supports. */
  readonly losses: readonly Loss[]
}

/** Fields of the body that every provider's request can carry. */
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
/** Default values, which are not losses. */
const USUAL: Readonly<Record<string, unknown>> = {
  draft: false,
  service_tier: 'default',
  priority: 0,
  output_format: 'mp4',
  return_last_frame: false,
}

type Item = VideoTaskBody['content'][number]

function mediaOf(url: string, path: string): InputMedia {
  if (!isDataUrl(url)) return { path, url }
  const { mime, data } = readDataUrl(url, path)
  return { path, base64: data, type: mime }
}

/** Frames and references by role. */
function mediaByRole(
  items: readonly Item[],
): Pick<VideoTaskInput, 'firstFrame' | 'lastFrame' | 'images' | 'videos' | 'audios'> {
  const images: InputMedia[] = []
  const videos: InputMedia[] = []
  const audios: InputMedia[] = []
  const frames: { first?: InputMedia; last?: InputMedia } = {}
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
        if (frames[place]) throw invalid(`${at}.role`, `Two images have the role "${role}". Send one.`)
        frames[place] = image
      } else if (role === undefined) throw invalid(`${at}.role`, `Each of several images must have a role: ${ROLES}.`)
      else throw invalid(`${at}.role`, `The role of an image must be one of ${ROLES}.`)
    }
  }
  const { first, last } = frames
  const [reference] = [...images, ...videos, ...audios]
  if ((first || last) && reference)
    throw invalid(reference.path, 'First and last frames cannot be combined with references. Send one kind only.')
  return compact({ firstFrame: first, lastFrame: last, images, videos, audios })
}

const ROLES = '"first_frame", "last_frame", "reference_image"'

function durationOf(
  duration: number | null | undefined,
  frames: number | null | undefined,
  losses: Loss[],
): number | undefined {
  if (frames == null) return duration ?? undefined
  changed(losses, 'frames', 'converted to seconds')
  return Math.max(1, Math.round(frames / FRAMES_PER_SECOND))
}

/** Fields that other wires do not support. */
function unsupportedFields(body: VideoTaskBody): Loss[] {
  const losses: Loss[] = []
  for (const [key, value] of Object.entries(body)) {
    if (CARRIED.has(key) || value == null || value === USUAL[key]) continue
    dropped(losses, key, Object.hasOwn(videoTaskSchema.shape, key) ? 'no equivalent' : 'unknown field')
  }
  return losses
}

/** Reads the body of a task. @throws HeadgateError that names the invalid field. */
export function readVideoInput(json: Json): VideoTaskInput {
  const body = parsed(videoTaskSchema, json, 'content')
  const losses = unsupportedFields(body)
  const texts = body.content.flatMap((item) => (item.type === 'text' ? [takeSwitches(item.text)] : []))
  const switches: Json = Object.assign({}, ...texts.map(({ fields }) => fields))
  // A length in the body takes precedence over both switches.
  if (body.duration != null || body.frames != null) for (const length of ['duration', 'frames']) delete switches[length]
  const fields = parsed(videoTaskSchema.pick(SWITCHED), { ...switches, ...compact(bodySettings(body)) }, 'content')
  if (switches['framespersecond'] !== undefined) dropped(losses, 'content', 'the model chooses the frame rate')
  const draftAt = body.content.findIndex(({ type }) => type === 'draft_task')
  const draft = body.content[draftAt]
  const text = texts.map(({ text }) => text).join('\n')
  const media = mediaByRole(body.content)
  const { images, videos, audios } = media
  const hasMedia = media.firstFrame || media.lastFrame || images.length + videos.length + audios.length > 0
  if (text.trim() === '' && !hasMedia && !draft)
    throw invalid('content', 'The content is empty. Send text, an image, or both.')
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

/** Fields of the body that have a switch. They take precedence over switches. */
function bodySettings({ resolution, ratio, duration, frames, seed, camera_fixed, watermark }: VideoTaskBody): Json {
  const pick = { resolution, ratio, duration, frames, seed, camera_fixed, watermark }
  return Object.fromEntries(Object.entries(pick).map(([key, value]) => [key, value ?? undefined]))
}
