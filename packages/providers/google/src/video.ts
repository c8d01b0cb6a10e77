import {
  type HttpRequest,
  type HttpResponse,
  type Json,
  type Next,
  next,
  number,
  object,
  objects,
  refusalIn,
  type TaskRef,
  taskId,
  text,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { abilitiesOf } from './video-models.ts'

const INTERACTIONS = '/v1beta/interactions'
/** Maximum seconds with a last frame or references. */
const LONGEST_OF_MORE = 10

/** Tag in the prompt, written by the caller, that assigns a purpose to an image. */
const TAG = /\[# |<(?:FIRST_FRAME|LAST_FRAME|IMAGE_REF_\d+)>/

const STATUSES: Readonly<Record<string, VideoTask['status']>> = {
  queued: 'queued',
  completed: 'succeeded',
  cancelled: 'cancelled',
  // An interaction that requires an action can never continue, because Headgate sends no actions.
  failed: 'failed',
  incomplete: 'failed',
  budget_exceeded: 'failed',
  requires_action: 'failed',
}

/**
 * Videos of Gemini Omni: an interaction in the background, polled until it is done. The video is a file, which is
 * processed before it can be fetched, with the key only. The response can contain small videos.
 *
 * Tags in the prompt assign purposes to images, because the API has no fields for them.
 *
 * @see https://ai.google.dev/gemini-api/docs/omni
 * @see https://ai.google.dev/api/interactions-api
 */
export const video: VideoSupport = {
  capabilities: abilitiesOf,
  accepts: ({ lastFrame, images, duration }) =>
    (lastFrame || images.length > 0) && (duration ?? 0) > LONGEST_OF_MORE
      ? [`the duration is limited to ${LONGEST_OF_MORE} seconds with a last frame or references`]
      : [],
  create: { request: createInteraction, response: (answer) => ({ id: taskId(answer, 'id') }) },
  get: { request: ({ id }) => ({ method: 'GET', url: pathOf(id) }), response: readInteraction },
  cancel: {
    request: ({ id }) => ({ method: 'POST', url: `${pathOf(id)}/cancel` }),
    response: ({ body }) => (object(body)?.['status'] === 'cancelled' ? 'canceled' : 'not-cancelable'),
    reads: ({ status }) => status === 400 || status === 409,
  },
}

function pathOf(id: string): string {
  return `${INTERACTIONS}/${encodeURIComponent(id)}`
}

function createInteraction(request: VideoRequest): HttpRequest {
  const { model, firstFrame, lastFrame, images, duration, ratio, resolution, seed } = request
  const task = firstFrame ? 'image_to_video' : images.length > 0 ? 'reference_to_video' : 'text_to_video'
  const media = [firstFrame, lastFrame, ...images].flatMap((image) => (image ? [imageOf(image)] : []))
  const json = {
    model,
    input: [...media, { type: 'text', text: taggedText(request) }],
    background: true,
    store: true,
    response_format: {
      type: 'video',
      delivery: 'uri',
      ...(ratio !== undefined && { aspect_ratio: ratio }),
      ...(resolution !== undefined && { resolution }),
      ...(duration !== undefined && { duration: `${duration}s` }),
    },
    generation_config: { video_config: { task }, ...(seed !== undefined && { seed }) },
  }
  return { method: 'POST', url: INTERACTIONS, body: { json } }
}

function imageOf({ base64, url, type }: VideoMedia): Json {
  return {
    type: 'image',
    ...(base64 === undefined ? { uri: url } : { data: base64 }),
    ...(type !== undefined && { mime_type: type }),
  }
}

function taggedText({ text, firstFrame, lastFrame, images }: VideoRequest): string {
  if (TAG.test(text)) return text
  const references = images.map((_, at) => `<IMAGE_REF_${at}>@Image${at + 1}`).join(' ')
  const tags = firstFrame
    ? `<FIRST_FRAME>${lastFrame ? ' <LAST_FRAME>' : ''}`
    : references && `[# References ${references}]`
  return `${tags} ${text}`.trim()
}

function readInteraction(answer: HttpResponse, _: TaskRef, [first]: readonly HttpResponse[]): VideoTask | Next {
  if (first) return readFile(object(answer.body) ?? {}, usageOf(first.body))
  const interaction = object(answer.body) ?? {}
  const status = STATUSES[text(interaction['status']) ?? ''] ?? 'running'
  const usage = usageOf(interaction)
  const made = status === 'succeeded' ? videoIn(interaction) : undefined
  if (status === 'failed' || (status === 'succeeded' && !made))
    return { status: 'failed', error: failureOf(interaction), ...usage }
  if (!made) return { status }
  const type = text(made['mime_type'])
  if (typeof made['data'] === 'string')
    return { status, video: { bytes: Buffer.from(made['data'], 'base64'), ...(type && { type }) }, ...usage }
  const [file] = /\bfiles\/[\w-]+/.exec(String(made['uri'])) ?? []
  return file
    ? next({ method: 'GET', url: `/v1beta/${file}` })
    : { status, video: { url: String(made['uri']) }, ...usage }
}

/** Outputs of the model. Inputs are steps, too. */
function outputsOf(steps: unknown): Json[] {
  return objects(steps).filter(({ type }) => type === 'model_output')
}

/** Last video of the model. */
function videoIn(interaction: Json): Json | undefined {
  const contents = outputsOf(interaction['steps']).flatMap(({ content }) => objects(content))
  return [...contents, object(interaction['output_video']) ?? {}].findLast(
    ({ type, data, uri }) => type === 'video' && (data || uri),
  )
}

/** @see https://ai.google.dev/api/files#File */
function readFile({ name, state, mimeType, expirationTime, error }: Json, usage: Pick<VideoTask, 'usage'>): VideoTask {
  if (state === 'FAILED') {
    const message = text(object(error)?.['message']) ?? 'The file of the video could not be processed.'
    return { status: 'failed', error: { kind: 'failed', message }, ...usage }
  }
  if (state !== 'ACTIVE') return { status: 'running' }
  const type = text(mimeType)
  const expiresAt = Date.parse(String(expirationTime))
  const url = `/v1beta/${String(name)}:download?alt=media`
  const video = { url, needsCredential: true, ...(type && { type }), ...(Number.isNaN(expiresAt) ? {} : { expiresAt }) }
  return { status: 'succeeded', video, ...usage }
}

function usageOf(interaction: unknown): Pick<VideoTask, 'usage'> {
  const { total_input_tokens, total_output_tokens, total_thought_tokens } = object(object(interaction)?.['usage']) ?? {}
  const [input, output, reasoning] = [total_input_tokens, total_output_tokens, total_thought_tokens].map(number)
  if (input === undefined || output === undefined) return {}
  return { usage: { input, output: output + (reasoning ?? 0), ...(reasoning && { reasoning }) } }
}

/** Failure that the vendor reports: of the interaction, of a step, or as text of the model if it created no video. */
function failureOf({ status, errors, steps }: Json): VideoFailure {
  const outputs = outputsOf(steps)
  const ofSteps = outputs.map(({ error }) => object(error)?.['message'])
  const words = outputs.flatMap(({ content }) => objects(content).map((one) => one['text']))
  const said = [...objects(errors).map(({ message }) => message), ...ofSteps, ...words].map(text).find(Boolean)
  const message = said ?? `The interaction ended with the status ${String(status)}, without a video.`
  const codes = objects(errors).map(({ code }) => String(code))
  const refusal = refusalIn([message, ...codes].join(' '))
  return { kind: refusal ?? (status === 'budget_exceeded' ? 'over-quota' : 'failed'), message }
}
