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
import type { Color, Size } from './h264.ts'
import { mp4 } from './mp4.ts'

/** How long a task waits, in milliseconds. */
const QUEUED_MS = 1_000
/** How long it runs for each second of the video, at most ten seconds in all. */
const PER_SECOND_MS = 500
const LONGEST_RUN_MS = 10_000
/** Seconds of a video where none are asked for. */
const SECONDS = 5
const MOST_SECONDS = 30
/** Pictures in a second. */
const RATE = 12

const SIZES: Readonly<Record<string, Size>> = {
  '16:9': [128, 72],
  '9:16': [72, 128],
  '1:1': [96, 96],
  '4:3': [96, 72],
  '3:4': [72, 96],
  '21:9': [168, 72],
}
const RATIO = '16:9'

/** What a text may ask for beside a video, and how a task then ends. */
type End = 'made' | 'fail' | 'refuse' | 'expire' | 'queue' | 'hang'
const MAGIC = /\bdemo:(fail|refuse|reject|expire|queue|hang)\b/

/** Failures that a prompt can request. */
const FAILURES: Readonly<Record<'fail' | 'refuse', VideoFailure>> = {
  fail: { kind: 'failed', message: 'The demo failed, as it was asked to.' },
  refuse: {
    kind: 'refused-output',
    message: 'The demo refused what it made, as it was asked to.',
  },
}

/**
 * Videos of slowly changing colors. Everything about a task is in what names it, and the clock says how far it is:
 * nothing is kept, so that tasks outlive the process.
 */
export const video = videosBy(() => Date.now())

/** The same by another clock, of milliseconds. */
export function videosBy(now: () => number): VideoSupport {
  return {
    can: {
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
    pace: { everyMs: 500, perSecond: 1_000 },
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
    if (Array.isArray(value) ? value.length > 0 : value) call.lose(name, 'the demo reads only texts')
  if (resolution !== undefined) call.lose('resolution', 'the demo makes small videos', 'changed')
  if (audio === true) call.lose('audio', 'the demo makes no sound')
  const end = MAGIC.exec(words)?.[1] ?? 'made'
  if (end === 'reject') throw new HeadgateError('content-policy', 'The demo refused the text, as it was asked to.')
  const seconds = duration > 0 ? Math.min(duration, MOST_SECONDS) : SECONDS
  const state = { at, end, seconds, ratio: ratio === 'adaptive' ? RATIO : ratio, hue: hueOf(words, seed) }
  return { id: intent, state: seed === undefined ? state : { ...state, seed } }
}

/** The same to the same words, from 0 to 359. */
function hueOf(words: string, seed = 0): number {
  let hash = seed % 360
  for (const letter of words) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 360
  return hash
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

/** Once around the colors in 360 steps, all of one brightness. */
function colorAt(hue: number): Color {
  const angle = (hue / 180) * Math.PI
  return [128, Math.round(128 + 80 * Math.cos(angle)), Math.round(128 + 80 * Math.sin(angle))]
}
