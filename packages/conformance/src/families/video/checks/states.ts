import { isDeepStrictEqual } from 'node:util'
import { targetOf, type VideoAsset, type VideoFailure, type VideoTask } from '@headgate/core/provider'
import { type Check, distinct } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import { show } from '../../../show.ts'
import { drive, type ExchangeOutcome, instead } from '../drive.ts'
import type { VideoAnswer } from '../facts.ts'
import { supportOf, type VideoTarget } from '../target.ts'
import { linesOf, type StateName, strayFindings } from '../vendor.ts'
import { createIn, remote } from './create.ts'

/** The contract's status for each state of the vendor. */
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

interface StateOutcome {
  readonly outcome: ExchangeOutcome<VideoTask>
  readonly findings: readonly string[]
}

/** Reads a task for which the vendor reports this state. */
async function get(target: VideoTarget, state: StateName, answers?: readonly VideoAnswer[]): Promise<StateOutcome> {
  const { harness, video } = target
  const { vendor, ref } = await createIn(target, state)
  if (!ref) return { outcome: { losses: [], steps: 0, thrown: 'no task was created' }, findings: [] }
  if (answers) vendor.now.task = answers
  const exchange = remote(supportOf(target), 'get')
  const outcome = await drive<typeof ref, VideoTask>(harness, exchange, ref, video.model)
  return { outcome, findings: strayFindings(vendor, linesOf(video, 'get'), '`video.get`') }
}

/** Checks for each state that the vendor documents. */
export function stateCheck(state: StateName): Check<VideoTarget> {
  const due = STATUS[state]
  return {
    name: `reads that a task is ${state === 'refused' ? 'refused by moderation' : state}`,
    async run(target) {
      const { outcome, findings } = await get(target, state)
      const { out } = outcome
      if (findings.length > 0) return distinct(findings)
      if (out?.status !== due) {
        const advice = outcome.failure
          ? 'let `get.reads` accept the failure as a response, and fix `get.response`'
          : 'fix `get.response`'
        return [
          `The vendor reports a task that is ${state}, which is "${due}"; ${instead(outcome)}. To fix it, ${advice}.`,
        ]
      }
      return [
        ...numberFindings(out),
        ...(due === 'succeeded' ? madeFindings(target, out) : []),
        ...(due === 'failed' ? failureFindings(out, state, target.video.states[state] ?? []) : []),
      ]
    },
  }
}

function numberFindings({ progress, retryAfterMs }: VideoTask): string[] {
  return [
    ...(progress === undefined || (progress >= 0 && progress <= 1)
      ? []
      : [`\`progress\` is ${progress}: it must be from 0 to 1.`]),
    ...(retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0)
      ? []
      : [`\`retryAfterMs\` is ${retryAfterMs}: it must be a wait in milliseconds.`]),
  ]
}

function failureFindings({ error }: VideoTask, state: StateName, answers: readonly VideoAnswer[]): string[] {
  if (!error) return ["A failed task has no `error`: return its `kind` and the vendor's `message`."]
  const isWords =
    error.message.trim() !== '' &&
    textsOf(answers).some((text) => text.includes(error.message) || error.message.includes(text))
  return [
    ...kindFindings(error, state),
    ...(isWords ? [] : [`\`error.message\` is ${show(error.message)}: it must be the vendor's message.`]),
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

/** Problems with the kind of a failure: it must exist and match the vendor's state. */
export function kindFindings({ kind }: VideoFailure, state: string): string[] {
  if (!Object.hasOwn(KINDS, kind))
    return [`The failure has the kind ${show(kind)}: use one of ${Object.keys(KINDS).join(', ')}.`]
  const isRefused = kind.startsWith('refused-')
  return [
    ...(state === 'refused' && !isRefused
      ? [`A task that moderation rejected has the kind ${kind}: use refused-text, refused-media or refused-output.`]
      : []),
    ...(state === 'failed' && isRefused
      ? [`A task that failed with an error has the kind ${kind}, which is for rejected content.`]
      : []),
  ]
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 3 ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/** Problems with the result of a succeeded task. */
function madeFindings(target: VideoTarget, { video, usage, ...others }: VideoTask): string[] {
  const { video: facts } = target
  if (!video) return ['A succeeded task has no `video`.']
  return [
    ...videoFindings(target, video),
    ...[video, others.lastFrame, others.cover, others.file].flatMap((asset) =>
      asset ? assetFindings(target, asset) : [],
    ),
    ...(isDeepStrictEqual(usage, facts.usage)
      ? []
      : [
          facts.usage
            ? `\`usage\` is ${show(usage)}, but the vendor charges ${show(facts.usage)}.`
            : `\`usage\` is ${show(usage)}, but the vendor does not report it: omit it.`,
        ]),
  ]
}

function videoFindings(
  { video: { video: due }, harness: { provider, upstream } }: VideoTarget,
  { url, bytes, needsCredential }: VideoAsset,
): string[] {
  if (due === 'bytes')
    return bytes && bytes.length > 0 ? [] : ["The vendor's response contains the video: return it as `bytes`."]
  if (url === undefined) return ["The vendor's response contains the URL of the video: return it as `url`."]
  if (!due.startsWith('/')) {
    return [
      ...(url === due ? [] : [`\`video.url\` is ${url}, but the vendor's is ${due}.`]),
      ...(needsCredential
        ? [
            '`needsCredential` of the video must not be set: its URL is public, and the credential must not be sent there.',
          ]
        : []),
    ]
  }
  const place = resolved(provider, url)
  const isDue =
    place !== undefined &&
    place.pathname + place.search === new URL(due, upstream.origin).href.slice(upstream.origin.length)
  return [
    ...(isDue ? [] : [`\`video.url\` is ${url}, but the vendor serves it at ${due} of its host.`]),
    ...(needsCredential ? [] : ['The URL of the video requires the credential: set `needsCredential`.']),
  ]
}

function resolved(provider: VideoTarget['harness']['provider'], url: string): URL | undefined {
  try {
    return targetOf(provider, url)
  } catch {
    return undefined
  }
}

function assetFindings(
  { harness: { provider } }: VideoTarget,
  { url, needsCredential, bytes, expiresAt }: VideoAsset,
): string[] {
  return [
    ...(url === undefined && bytes === undefined ? ['A file of the task has neither a `url` nor `bytes`.'] : []),
    ...(url !== undefined && !needsCredential && !/^https?:\/\//.test(url)
      ? [
          `A file of the task has the URL ${url}, which cannot be fetched: return an absolute URL, or set \`needsCredential\`.`,
        ]
      : []),
    ...(url !== undefined && needsCredential && !resolved(provider, url)
      ? [
          `A file of the task needs the credential at ${url}, which is not a host of the provider: the credential must not be sent there.`,
        ]
      : []),
    ...(expiresAt === undefined || (Number.isSafeInteger(expiresAt) && expiresAt > 1e12)
      ? []
      : [`\`expiresAt\` is ${expiresAt}: it must be Unix time in milliseconds.`]),
  ]
}

/** State with an unknown name. */
export const unknownStateCheck: Check<VideoTarget> = {
  name: 'treats an unknown state as running',
  async run(target) {
    const { running, succeeded } = target.video.states
    const [first, ...others] = running
    const unknown = first && withUnknownState(first, succeeded[0])
    if (!unknown || isDeepStrictEqual(unknown, first)) return []
    const { outcome } = await get(target, 'running', [unknown, ...others])
    if (outcome.out?.status === 'running' || outcome.out?.status === 'queued') return []
    return [
      `For the unknown state ${show(unknown)}, ${instead(outcome)}. Return "running": the task's time limit ends it. Fix \`get.response\`.`,
    ]
  },
}

/** Response with an unknown value in place of every state name. */
function withUnknownState(answer: unknown, other: unknown): VideoAnswer | undefined {
  const change = (one: unknown, counterpart: unknown): unknown => {
    if (typeof one === 'string' && typeof counterpart === 'string')
      return one !== counterpart && /^[A-Za-z_ -]+$/.test(one) ? UNKNOWN : one
    if (Array.isArray(one))
      return Array.isArray(counterpart) ? one.map((each, at) => change(each, counterpart[at])) : one
    if (!isObject(one) || !isObject(counterpart)) return one
    return Object.fromEntries(Object.entries(one).map(([name, each]) => [name, change(each, counterpart[name])]))
  }
  return change(answer, other) as VideoAnswer
}

/** Vendor that reports success without a video. */
export const missingVideoCheck: Check<VideoTarget> = {
  name: 'does not treat a task without a video as succeeded',
  async run(target) {
    const { video, states } = target.video
    const without = states.succeeded.map((answer) => withoutText(answer, video)) as VideoAnswer[]
    if (video === 'bytes' || isDeepStrictEqual(without, states.succeeded)) return []
    const { outcome } = await get(target, 'succeeded', without)
    return outcome.out?.status === 'succeeded'
      ? [
          'For a response without the URL of a video, `get` returns "succeeded": return "running" or "failed" until the video can be fetched.',
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
