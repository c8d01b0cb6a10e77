import type { Loss } from '@headgate/core/canonical'
import { compact, type Json } from '@headgate/core/canonical'
import type { Call, VideoMedia, VideoRequest, VideoSupport } from '@headgate/core/contract'
import { forModel } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { Candidate } from '../../routing/candidates.ts'
import { lossCollector } from '../../serve/losses.ts'
import type { Fetcher } from '../../serve/media.ts'
import type { CreationPlan } from '../../serve/tasks/creation.ts'
import { fitRequest } from './capabilities.ts'
import type { InputMedia, VideoTaskInput } from './input.ts'
import { supportOf } from './result.ts'

export type VideoPlan = CreationPlan<VideoRequest>

/** A caller's draft, by its provider and the upstream's id. */
export interface DraftTask {
  readonly provider: string
  readonly id: string
}

function supportFor({ endpoint }: Candidate): VideoSupport {
  const { video } = endpoint.provider
  if (!video) throw new HeadgateError('internal', 'The selected provider does not support videos.')
  return video
}

/**
 * The body for an Ark-compatible provider: without the callback URL, which the gateway calls, and with the upstream's
 * id of a draft.
 */
function nativeBody({ body }: VideoTaskInput, model: string, draft: DraftTask | undefined): Json {
  const { callback_url: _, ...rest } = body
  const content = draft
    ? body.content.map((item) =>
        item.type === 'draft_task' ? { ...item, draft_task: { ...item.draft_task, id: draft.id } } : item,
      )
    : body.content
  return { ...rest, model, content }
}

function withoutPath({ path: _, ...media }: InputMedia): VideoMedia {
  return media
}

/** Ark fields by the names of {@link VideoRequest}, if they differ. */
const FIELDS: Readonly<Record<string, string>> = {
  text: 'content',
  firstFrame: 'content',
  lastFrame: 'content',
  images: 'content',
  videos: 'content',
  audios: 'content',
  audio: 'generate_audio',
  cameraFixed: 'camera_fixed',
  user: 'safety_identifier',
} satisfies Partial<Record<keyof VideoRequest, string>>

/** Request fields that the task's responses repeat. */
function echoOf(
  { body, tier, expiresAfter, user, draft }: VideoTaskInput,
  fields: Partial<VideoRequest>,
  isNative: boolean,
): Json {
  const { duration, ratio, resolution, seed, audio } = fields
  const frames = isNative ? (body.frames ?? undefined) : undefined
  return compact({
    resolution,
    ratio,
    duration: duration === -1 || frames !== undefined ? undefined : duration,
    frames,
    seed,
    generate_audio: audio,
    service_tier: tier,
    execution_expires_after: expiresAfter,
    priority: body.priority ?? undefined,
    safety_identifier: user,
    draft_task_id: draft?.id,
  })
}

/** Rejects a request that the model cannot fulfill. */
function checkRefusals(
  name: string,
  model: string,
  refusals: readonly (readonly [string | undefined, string])[],
): void {
  const [first] = refusals
  if (!first) return
  throw invalid(
    first[0],
    `${name} cannot serve this request with ${model}: ${refusals.map(([, why]) => why).join('; ')}.`,
  )
}

/** Plans a candidate. @throws HeadgateError if it cannot serve the request. */
export function planFor(
  asked: VideoTaskInput,
  candidate: Candidate,
  fetch: Fetcher,
  draft: DraftTask | undefined,
): VideoPlan {
  const video = supportFor(candidate)
  const { instance, endpoint, model } = candidate
  const isNative = video.native !== undefined
  const can = (video.capabilities && forModel(video.capabilities, model)) ?? {}
  const fitted = isNative ? undefined : fitRequest(asked, can)
  if (fitted) checkRefusals(instance.name, model, fitted.refusals)
  const { text, firstFrame, lastFrame, images, videos, audios, expiresAfter } = asked
  const fields = fitted?.fields ?? asked
  const body = isNative ? nativeBody(asked, model, draft) : {}
  const request = (intent: string, media: (one: InputMedia) => VideoMedia): VideoRequest => ({
    model,
    intent,
    text,
    images: images.map(media),
    videos: videos.map(withoutPath),
    audios: audios.map(withoutPath),
    expiresAfter,
    body,
    ...compact({
      firstFrame: firstFrame && media(firstFrame),
      lastFrame: lastFrame && media(lastFrame),
      duration: fields.duration,
      ratio: fields.ratio,
      resolution: fields.resolution,
      seed: fields.seed,
      audio: fields.audio,
      watermark: fields.watermark,
      cameraFixed: fields.cameraFixed,
      user: fields.user,
    }),
  })
  const whys = video.accepts?.(request('', withoutPath)) ?? []
  checkRefusals(
    instance.name,
    model,
    whys.map((why) => [undefined, why] as const),
  )

  const frames = [firstFrame, lastFrame].filter((one) => one !== undefined)
  const linked = can.takes === 'base64' ? [...frames, ...images].filter(({ url }) => url !== undefined) : []
  const losses: Loss[] = [...(fitted?.losses ?? [])]
  // The adapter's errors and losses are known before any call, unless media must be fetched first.
  const declare = lossCollector(losses)
  const lose: Call['lose'] = (path, reason, kind) => declare(FIELDS[path] ?? path, reason, kind)
  if (linked.length === 0 && !('run' in video.create))
    video.create.request(request('', withoutPath), { model, stream: false, headers: {}, lose })

  const trace = video.trace && ((given: VideoRequest) => video.trace?.(given))
  return {
    candidate,
    losses,
    lose,
    create: video.create,
    idempotent: video.idempotent ?? false,
    everyMs: supportOf(endpoint.provider)?.everyMs ?? 0,
    echo: echoOf(asked, fields, isNative),
    ...(trace && { trace }),
    async input(intent) {
      const fetched = linked.length > 0 ? await fetch(linked.map(({ path, url = '' }) => ({ path, url }))) : undefined
      return request(intent, (one) => {
        const found = one.url === undefined ? undefined : fetched?.get(one.url)
        return found ? compact<VideoMedia>({ base64: found.data, type: found.mime }) : withoutPath(one)
      })
    },
  }
}
