import {
  type Call,
  HeadgateError,
  type Json,
  number,
  type TaskRef,
  text,
  type VideoFailure,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import type { Color, FrameSize } from './h264.ts'
import { hueOf } from './hue.ts'
import { mp4 } from './mp4.ts'

/** Milliseconds that a task is queued. */
const QUEUED_MS = 1_000
/** Milliseconds that a task runs for each second of the video; the maximum is ten seconds. */
const PER_SECOND_MS = 500
const LONGEST_RUN_MS = 10_000
/** Default seconds of a video. */
const SECONDS = 5
const MOST_SECONDS = 30
/** Frames per second. */
const RATE = 12

const SIZES: Readonly<Record<string, FrameSize>> = {
  '16:9': [128, 72],
  '9:16': [72, 128],
  '1:1': [96, 96],
  '4:3': [96, 72],
  '3:4': [72, 96],
  '21:9': [168, 72],
}
const RATIO = '16:9'

/** End of a task that a prompt can request. */
type End = 'made' | 'fail' | 'refuse' | 'expire' | 'queue' | 'hang'
const MAGIC = /\bdemo:(fail|refuse|reject|expire|queue|hang)\b/

/** Failures that a prompt can request. */
const FAILURES: Readonly<Record<'fail' | 'refuse', VideoFailure>> = {
  fail: { kind: 'failed', message: 'The demo failed, as requested.' },
  refuse: {
    kind: 'refused-output',
    message: 'The demo rejected its output, as requested.',
  },
}

/**
 * Videos of slowly changing colors. The reference of a task contains its whole state, and the clock determines its
 * progress: nothing is stored, so tasks survive a restart.
 */
export const video = videosBy(() => Date.now())

/** Videos with another clock, in milliseconds. */
export function videosBy(now: () => number): VideoSupport {
  return {
    capabilities: {
      text: true,
      durations: { min: 1, max: MOST_SECONDS },
      ownDuration: true,
      ratios: [...Object.keys(SIZES), 'adaptive'],
      seed: true,
      watermark: false,
      cameraFixed: false,
      user: false,
    },
    idempotent: true,
    pollRate: { everyMs: 500, perSecond: 1_000 },
    create: { run: async (request, _, call) => createTask(request, call, now()) },
    get: { run: async (ref) => look(ref, now()) },
    cancel: { run: async (ref) => (look(ref, now()).status === 'queued' ? 'canceled' : 'not-cancelable') },
  }
}

function createTask(request: VideoRequest, call: Call, at: number): TaskRef {
  const {
    intent,
    text: words,
    firstFrame,
    lastFrame,
    images,
    videos,
    audios,
    duration = -1,
    ratio = RATIO,
    resolution,
    seed,
    audio,
  } = request
  for (const [name, value] of Object.entries({ firstFrame, lastFrame, images, videos, audios }))
    if (Array.isArray(value) ? value.length > 0 : value) call.lose(name, 'the demo only reads text')
  if (resolution !== undefined) call.lose('resolution', 'the demo only creates small videos', 'changed')
  if (audio === true) call.lose('audio', 'the demo does not support sound')
  const end = MAGIC.exec(words)?.[1] ?? 'made'
  if (end === 'reject') throw new HeadgateError('content-policy', 'The demo rejected the prompt, as requested.')
  const seconds = duration > 0 ? Math.min(duration, MOST_SECONDS) : SECONDS
  const state = { at, end, seconds, ratio: ratio === 'adaptive' ? RATIO : ratio, hue: hueOf(words, seed) }
  return { id: intent, state: seed === undefined ? state : { ...state, seed } }
}

function look({ state = {} }: TaskRef, now: number): VideoTask {
  const end = (text(state['end']) ?? 'made') as End
  const seconds = number(state['seconds']) ?? SECONDS
  const since = now - (number(state['at']) ?? 0) - QUEUED_MS
  if (since < 0 || end === 'queue') return { status: 'queued' }
  const progress = since / Math.min(seconds * PER_SECOND_MS, LONGEST_RUN_MS)
  if (progress < 1 || end === 'hang') return { status: 'running', progress: Math.min(progress, 0.99) }
  if (end === 'expire') return { status: 'expired' }
  if (end !== 'made') return { status: 'failed', error: FAILURES[end] }
  return made(state, seconds)
}

function made(state: Json, seconds: number): VideoTask {
  const ratio = text(state['ratio']) ?? RATIO
  const seed = number(state['seed'])
  const pictures = Array.from({ length: seconds * RATE }, (_, index) =>
    colorAt((number(state['hue']) ?? 0) + (360 * index) / (seconds * RATE)),
  )
  return {
    status: 'succeeded',
    video: { bytes: mp4({ size: SIZES[ratio] ?? SIZES[RATIO] ?? [16, 16], rate: RATE, pictures }) },
    usage: { input: 0, output: 0, units: { seconds } },
    output: { seed, ratio, duration: seconds, frameRate: RATE, audio: false },
  }
}

/** Color circle in 360 steps of equal brightness. */
function colorAt(hue: number): Color {
  const angle = (hue / 180) * Math.PI
  return [128, Math.round(128 + 80 * Math.cos(angle)), Math.round(128 + 80 * Math.sin(angle))]
}
