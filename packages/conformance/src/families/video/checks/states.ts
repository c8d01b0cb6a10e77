import { isDeepStrictEqual } from 'node:util'
import { targetOf, type VideoAsset, type VideoFailure, type VideoTask } from '@headgate/core/provider'
import { type Check, distinct } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import { show } from '../../../show.ts'
import { drive, instead, type Outcome } from '../drive.ts'
import type { VendorAnswer } from '../facts.ts'
import { supportOf, type VideoSubject } from '../subject.ts'
import { linesOf, type StateName, strayFindings } from '../vendor.ts'
import { createIn, remote } from './create.ts'

/** What a task is in the words of the contract, by the vendor's state. */
const STATUS = {
  queued: 'queued',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  refused: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
} as const satisfies Record<StateName, VideoTask['status']>

const UNKNOWN = 'a-state-of-the-future'

interface Got {
  readonly outcome: Outcome<VideoTask>
  readonly findings: readonly string[]
}

/** Asks for a task of which the vendor says this. */
async function get(subject: VideoSubject, state: StateName, answers?: readonly VendorAnswer[]): Promise<Got> {
  const { bench, video } = subject
  const { vendor, ref } = await createIn(subject, state)
  if (!ref) return { outcome: { losses: [], steps: 0, thrown: 'no task was created' }, findings: [] }
  if (answers) vendor.now.task = answers
  const exchange = remote(supportOf(subject), 'get')
  const outcome = await drive<typeof ref, VideoTask>(bench, exchange, ref, video.model)
  return { outcome, findings: strayFindings(vendor, linesOf(video, 'get'), '`video.get`') }
}

/** Every state that the vendor documents. */
export function stateCheck(state: StateName): Check<VideoSubject> {
  const due = STATUS[state]
  return {
    name: `reads that a task is ${state === 'refused' ? 'refused by moderation' : state}`,
    async run(subject) {
      const { outcome, findings } = await get(subject, state)
      const { out } = outcome
      if (findings.length > 0) return distinct(findings)
      if (out?.status !== due) {
        const mend = outcome.failure
          ? 'let `get.reads` take the failure for an answer, and mend `get.response`'
          : 'mend `get.response`'
        return [
          `The vendor says that its task is ${state}, which is "${due}"; ${instead(outcome)}. To mend it, ${mend}.`,
        ]
      }
      return [
        ...numberFindings(out),
        ...(due === 'succeeded' ? madeFindings(subject, out) : []),
        ...(due === 'failed' ? failureFindings(out, state, subject.video.states[state] ?? []) : []),
      ]
    },
  }
}

function numberFindings({ progress, retryAfterMs }: VideoTask): string[] {
  return [
    ...(progress === undefined || (progress >= 0 && progress <= 1)
      ? []
      : [`\`progress\` is ${progress}: it is from 0 to 1.`]),
    ...(retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0)
      ? []
      : [`\`retryAfterMs\` is ${retryAfterMs}: it is a wait in milliseconds.`]),
  ]
}

function failureFindings({ error }: VideoTask, state: StateName, answers: readonly VendorAnswer[]): string[] {
  if (!error) return ["A task that failed has no `error`: return its `kind` and the vendor's `message`."]
  const isWords =
    error.message.trim() !== '' &&
    textsOf(answers).some((text) => text.includes(error.message) || error.message.includes(text))
  return [
    ...kindFindings(error, state),
    ...(isWords ? [] : [`\`error.message\` is ${show(error.message)}: it must be the vendor's own words.`]),
  ]
}

const KINDS: Readonly<Record<VideoFailure['kind'], true>> = {
  'refused-text': true,
  'refused-media': true,
  'refused-output': true,
  'invalid-request': true,
  forbidden: true,
  'over-quota': true,
  overloaded: true,
  failed: true,
}

/** Whether the kind of a failure exists, and matches the vendor's state. */
export function kindFindings({ kind }: VideoFailure, state: string): string[] {
  if (!Object.hasOwn(KINDS, kind))
    return [`The failure has the kind ${show(kind)}: use one of ${Object.keys(KINDS).join(', ')}.`]
  const isRefused = kind.startsWith('refused-')
  return [
    ...(state === 'refused' && !isRefused
      ? [`A task that moderation refused has the kind ${kind}: use refused-text, refused-media or refused-output.`]
      : []),
    ...(state === 'failed' && isRefused
      ? [`A task that failed by a fault has the kind ${kind}, which is for refused content.`]
      : []),
  ]
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 3 ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/** What a task that succeeded has made. */
function madeFindings(subject: VideoSubject, { video, usage, ...others }: VideoTask): string[] {
  const { video: facts } = subject
  if (!video) return ['A task that succeeded has no `video`.']
  return [
    ...videoFindings(subject, video),
    ...[video, others.lastFrame, others.cover, others.file].flatMap((asset) =>
      asset ? assetFindings(subject, asset) : [],
    ),
    ...(isDeepStrictEqual(usage, facts.usage)
      ? []
      : [
          facts.usage
            ? `\`usage\` is ${show(usage)}, the vendor charges ${show(facts.usage)}.`
            : `\`usage\` is ${show(usage)}, and the vendor says nothing of it: leave it out.`,
        ]),
  ]
}

function videoFindings(
  { video: { video: due }, bench: { provider, upstream } }: VideoSubject,
  { url, bytes, needsCredential }: VideoAsset,
): string[] {
  if (due === 'bytes')
    return bytes && bytes.length > 0 ? [] : ['The vendor gives the video in its answer: give it as `bytes`.']
  if (url === undefined) return ['The vendor gives the URL of the video: give it as `url`.']
  if (!due.startsWith('/')) {
    return [
      ...(url === due ? [] : [`\`video.url\` is ${url}, the vendor's is ${due}.`]),
      ...(needsCredential
        ? ['`needsCredential` of the video: its URL is for everybody, and the credential stays at home.']
        : []),
    ]
  }
  const place = resolved(provider, url)
  const isDue =
    place !== undefined &&
    place.pathname + place.search === new URL(due, upstream.origin).href.slice(upstream.origin.length)
  return [
    ...(isDue ? [] : [`\`video.url\` is ${url}, the vendor serves it at ${due} of its own host.`]),
    ...(needsCredential ? [] : ['The URL of the video answers only with the credential: say `needsCredential`.']),
  ]
}

function resolved(provider: VideoSubject['bench']['provider'], url: string): URL | undefined {
  try {
    return targetOf(provider, url)
  } catch {
    return undefined
  }
}

function assetFindings(
  { bench: { provider } }: VideoSubject,
  { url, needsCredential, bytes, expiresAt }: VideoAsset,
): string[] {
  return [
    ...(url === undefined && bytes === undefined ? ['A file of the task has neither a `url` nor `bytes`.'] : []),
    ...(url !== undefined && !needsCredential && !/^https?:\/\//.test(url)
      ? [`A file of the task has the URL ${url}, which nobody can fetch: give a whole URL, or say \`needsCredential\`.`]
      : []),
    ...(url !== undefined && needsCredential && !resolved(provider, url)
      ? [
          `A file of the task needs the credential at ${url}, which is no host of the provider: its credential would leave it.`,
        ]
      : []),
    ...(expiresAt === undefined || (Number.isSafeInteger(expiresAt) && expiresAt > 1e12)
      ? []
      : [`\`expiresAt\` is ${expiresAt}: it is Unix time in milliseconds.`]),
  ]
}

/** Words of a state that nobody knows. */
export const unknownStateCheck: Check<VideoSubject> = {
  name: 'takes a state that it does not know for running',
  async run(subject) {
    const { running, succeeded } = subject.video.states
    const [first, ...others] = running
    const unknown = first && withUnknownState(first, succeeded[0])
    if (!unknown || isDeepStrictEqual(unknown, first)) return []
    const { outcome } = await get(subject, 'running', [unknown, ...others])
    if (outcome.out?.status === 'running' || outcome.out?.status === 'queued') return []
    return [
      `To ${show(unknown)}, a state that nobody knows, ${instead(outcome)}. It is "running": the task's own limit ends it. Mend \`get.response\`.`,
    ]
  },
}

/** An answer with another word wherever that of another state stands. */
function withUnknownState(answer: unknown, other: unknown): VendorAnswer | undefined {
  const change = (one: unknown, counterpart: unknown): unknown => {
    if (typeof one === 'string' && typeof counterpart === 'string')
      return one !== counterpart && /^[A-Za-z_ -]+$/.test(one) ? UNKNOWN : one
    if (Array.isArray(one))
      return Array.isArray(counterpart) ? one.map((each, at) => change(each, counterpart[at])) : one
    if (!isObject(one) || !isObject(counterpart)) return one
    return Object.fromEntries(Object.entries(one).map(([name, each]) => [name, change(each, counterpart[name])]))
  }
  return change(answer, other) as VendorAnswer
}

/** A vendor that says of success and has nothing. */
export const missingVideoCheck: Check<VideoSubject> = {
  name: 'takes no task for succeeded that has no video',
  async run(subject) {
    const { video, states } = subject.video
    const without = states.succeeded.map((answer) => withoutText(answer, video)) as VendorAnswer[]
    if (video === 'bytes' || isDeepStrictEqual(without, states.succeeded)) return []
    const { outcome } = await get(subject, 'succeeded', without)
    return outcome.out?.status === 'succeeded'
      ? [
          'Of an answer without the URL of a video `get` says "succeeded": it is "running", or "failed", until there is one to be fetched.',
        ]
      : []
  },
}

function withoutText(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== text).map((one) => withoutText(one, text))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => !(typeof one === 'string' && one.includes(text)))
      .map(([name, one]) => [name, withoutText(one, text)]),
  )
}
