import type { RemoteVideoFacts } from '@headgate/conformance'

/**
 * Runway's tasks, written from the types and comments of its SDK (@runwayml/sdk 4.20.1: image-to-video, text-to-video,
 * tasks) and from https://docs.dev.runwayml.com/api-details/task-failures and /usage/tiers. No answer here was
 * recorded.
 */

const id = '17f20503-6c24-4c16-946b-35dbbce2af2f'
const url = 'https://dnznrvs05pmza.cloudfront.net/8e1f.mp4?_jwt=made-up'
const task = { id, createdAt: '2026-11-22T10:00:00.000Z' }

/** What the type of `seedance2` has. */
const SIZES: Readonly<Record<string, readonly [resolution: string, ratio: string]>> = {
  '992:432': ['480p', '21:9'],
  '864:496': ['480p', '16:9'],
  '752:560': ['480p', '4:3'],
  '640:640': ['480p', '1:1'],
  '560:752': ['480p', '3:4'],
  '496:864': ['480p', '9:16'],
  '1470:630': ['720p', '21:9'],
  '1280:720': ['720p', '16:9'],
  '1112:834': ['720p', '4:3'],
  '960:960': ['720p', '1:1'],
  '834:1112': ['720p', '3:4'],
  '720:1280': ['720p', '9:16'],
  '2206:946': ['1080p', '21:9'],
  '1920:1080': ['1080p', '16:9'],
  '1664:1248': ['1080p', '4:3'],
  '1440:1440': ['1080p', '1:1'],
  '1248:1664': ['1080p', '3:4'],
  '1080:1920': ['1080p', '9:16'],
  '3840:1646': ['4k', '21:9'],
  '3840:2160': ['4k', '16:9'],
  '3840:2880': ['4k', '4:3'],
  '3840:3840': ['4k', '1:1'],
  '2880:3840': ['4k', '3:4'],
  '2160:3840': ['4k', '9:16'],
}

interface Reference {
  readonly uri: string
  readonly position?: 'first' | 'last'
}

interface Body {
  readonly model: string
  readonly promptText?: string
  readonly promptImage?: readonly Reference[]
  readonly references?: readonly Reference[]
  readonly referenceVideos?: readonly Reference[]
  readonly referenceAudio?: readonly Reference[]
  readonly duration?: number | 'auto'
  readonly ratio?: string
  readonly seed?: number
  readonly audio?: boolean
}

const KNOWN = new Set([
  'model',
  'promptText',
  'promptImage',
  'references',
  'referenceVideos',
  'referenceAudio',
  'duration',
  'ratio',
  'seed',
  'audio',
])

function uris(list: readonly Reference[] | undefined): readonly string[] | undefined {
  return list?.map(({ uri }) => uri)
}

export const vendor: RemoteVideoFacts = {
  model: 'seedance2',
  create: ['/v1/text_to_video', '/v1/image_to_video'],
  read({ path, body: source }) {
    const body = source as Body
    const unknown = Object.keys(body).filter((key) => !KNOWN.has(key))
    if (unknown.length > 0) throw new Error(`unrecognized keys: ${unknown.join(', ')}`)
    const isImage = path.endsWith('image_to_video')
    if (isImage !== (body.promptImage !== undefined))
      throw new Error('promptImage goes to image_to_video, and nothing else does')
    if (!isImage && !body.promptText) throw new Error('promptText is required')
    if (body.promptImage && !body.promptImage.some(({ position }) => position === 'first'))
      throw new Error('a last frame needs a first one')
    const size = body.ratio === undefined ? undefined : SIZES[body.ratio]
    if (body.ratio !== undefined && !size) throw new Error(`ratio: ${body.ratio} is none of the sizes`)
    return {
      text: body.promptText,
      firstFrame: body.promptImage?.find(({ position }) => position === 'first')?.uri,
      lastFrame: body.promptImage?.find(({ position }) => position === 'last')?.uri,
      images: uris(body.references),
      videos: uris(body.referenceVideos),
      audios: uris(body.referenceAudio),
      duration: body.duration === 'auto' ? -1 : body.duration,
      resolution: size?.[0],
      ratio: size?.[1],
      seed: body.seed,
      audio: body.audio,
    }
  },
  id,
  created: { id, estimatedCost: { credits: 180 } },
  states: {
    queued: [{ ...task, status: 'THROTTLED', estimatedCost: { credits: 180 } }],
    running: [{ ...task, status: 'RUNNING', progress: 0.4, estimatedCost: { credits: 180 } }],
    succeeded: [{ ...task, status: 'SUCCEEDED', output: [url], cost: { credits: 180 } }],
    failed: [
      {
        ...task,
        status: 'FAILED',
        failure: 'The video could not be made.',
        failureCode: 'INTERNAL.BAD_OUTPUT.CODE01',
        cost: { credits: 0 },
      },
    ],
    refused: [
      {
        ...task,
        status: 'FAILED',
        failure: 'The text was moderated.',
        failureCode: 'SAFETY.INPUT.TEXT',
        cost: { credits: 180 },
      },
    ],
    cancelled: [{ ...task, status: 'CANCELLED', cost: { credits: 0 } }],
  },
  get: ['GET /v1/tasks/{id}'],
  // Any task that is asked to be deleted is: whether it has begun is looked at before.
  cancel: { path: 'DELETE /v1/tasks/{id}', done: [204], late: [404, { error: 'Task not found' }] },
  video: url,
  usage: { input: 0, output: 0, units: { credits: 180 } },
  refusals: {
    limit: [429, { error: 'You have reached your daily limit of generations.' }, { 'retry-after': '30' }],
    quota: [400, { error: 'You do not have enough credits to run this task.' }],
  },
  error: (_status, message) => ({ error: message }),
}
