import { isDeepStrictEqual } from 'node:util'
import type { VideoSupport } from '@headgate/core/provider'
import { type Check, distinct } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import { show } from '../../../show.ts'
import { askedDifferences } from '../compare.ts'
import { drive, type ExchangeOutcome, instead } from '../drive.ts'
import type { VideoMeaning } from '../facts.ts'
import { abilitiesOf, asksOf, plainAsk, type VideoCase } from '../requests.ts'
import { supportOf, type VideoTarget } from '../target.ts'
import { linesOf, type StateName, strayFindings, type VideoVendor, videoVendor } from '../vendor.ts'

type Remote<K extends 'create' | 'get' | 'cancel' | 'find'> = Extract<
  NonNullable<VideoSupport[K]>,
  { request: unknown }
>

/**
 * Member of the provider as an exchange.
 *
 * @throws if it runs in-process
 */
export function remote<K extends 'create' | 'get' | 'cancel' | 'find'>(support: VideoSupport, member: K): Remote<K> {
  const exchange = support[member]
  if (!exchange || !('request' in exchange))
    throw new TypeError(`\`video.${member}\` has no \`request\`, but the facts have an upstream.`)
  return exchange as Remote<K>
}

/** The vendor's reference to a task, as stored and restored. */
export type Ref = { readonly id: string }

export interface Created {
  readonly vendor: VideoVendor
  readonly outcome: ExchangeOutcome<Ref>
  readonly ref: Ref | undefined
}

/** Creates a task through the adapter, at a new vendor. */
export async function create(target: VideoTarget, { request }: Pick<VideoCase, 'request'>): Promise<Created> {
  const { harness, video } = target
  const vendor = videoVendor(video, harness.upstream.origin)
  harness.upstream.answer(vendor.answer)
  const outcome = await drive<typeof request, Ref>(harness, remote(supportOf(target), 'create'), request, video.model)
  return { vendor, outcome, ref: outcome.out && (JSON.parse(JSON.stringify(outcome.out)) as Ref) }
}

/** Minimal task for which the vendor reports this state. */
export async function createIn(target: VideoTarget, state: StateName): Promise<Created> {
  const made = await create(target, plainAsk(abilitiesOf(supportOf(target), target.video.model), target.video.model))
  made.vendor.now.task = target.video.states[state] ?? []
  return made
}

/** Transport, checked before everything that uses it. */
export const videoReachCheck: Check<VideoTarget> = {
  name: "reaches its upstream with a video request, and stores the task's reference",
  isGate: true,
  async run(target) {
    const { video } = target
    const { vendor, outcome, ref } = await createIn(target, 'running')
    const findings = [
      ...strayFindings(vendor, linesOf(video, 'create'), '`video.create.request`, or `baseUrl`'),
      ...refusalFindings(vendor, 'the minimal request'),
    ]
    if (findings.length > 0) return findings
    if (vendor.asked.length === 0)
      return [`No request for a task reached the upstream: ${instead(outcome)}. Fix \`video.create.request\` first.`]
    if (!ref)
      return [
        `The vendor created a task, but ${instead(outcome)}. Fix \`video.create.response\` first, or \`readError\`.`,
      ]
    return [
      ...(typeof ref.id === 'string' && (ref.id.includes(video.id) || (ref.id !== '' && video.id.includes(ref.id)))
        ? []
        : [`The vendor's task is ${video.id}, but \`video.create.response\` returns the id ${show(ref.id)}.`]),
      ...(isObject(outcome.out) && !isDeepStrictEqual(ref, compactRef(outcome.out))
        ? ["The task's reference changes when it is stored as JSON: `state` must be plain JSON."]
        : []),
    ]
  },
}

/** Reference without undefined members, as JSON stores it. */
function compactRef(ref: object): object {
  return Object.fromEntries(Object.entries(ref).filter(([, value]) => value !== undefined))
}

function refusalFindings(vendor: VideoVendor, what: string): string[] {
  return vendor.refusals.map(
    (reason) =>
      `The vendor would reject ${what}: ${reason}. Fix \`video.create.request\`, or correct \`capabilities\`.`,
  )
}

/** Abilities that `capabilities` claims must reach the vendor, or be declared as lost. */
export const abilitiesCheck: Check<VideoTarget> = {
  name: 'sends all options that its model supports, or declares them as lost',
  async run(target) {
    const { model, models = [] } = target.video
    const findings: string[] = []
    for (const one of [model, ...models]) {
      const found = await modelFindings({ ...target, video: { ...target.video, model: one } })
      findings.push(...(one === model ? found : found.map((finding) => `${one}: ${finding}`)))
    }
    return distinct(findings)
  },
}

async function modelFindings(target: VideoTarget): Promise<string[]> {
  const { model } = target.video
  const support = supportOf(target)
  const findings: string[] = []
  const open = new Map<VideoCase['ability'], readonly string[]>()
  for (const ask of asksOf(abilitiesOf(support, model), model)) {
    const reasons = support.accepts?.(ask.request) ?? []
    if (reasons.length > 0) {
      if (!open.has(ask.ability)) open.set(ask.ability, reasons)
      continue
    }
    open.set(ask.ability, [])
    findings.push(...(await abilityFindings(target, ask)))
  }
  for (const [ability, reasons] of open) {
    if (reasons.length > 0)
      findings.push(
        `\`capabilities.${ability}\` claims an ability that \`accepts\` always rejects (${show(reasons[0])}): remove it from \`capabilities\`.`,
      )
  }
  return findings
}

async function abilityFindings(target: VideoTarget, ask: VideoCase): Promise<string[]> {
  const { vendor, outcome } = await create(target, ask)
  const refused = [
    ...strayFindings(vendor, linesOf(target.video, 'create'), '`video.create.request`'),
    ...refusalFindings(vendor, ask.name),
  ]
  if (refused.length > 0) return refused
  const found: VideoMeaning | undefined = vendor.asked[0]
  if (!found)
    return [`With ${ask.name}, nothing reached the vendor: ${instead(outcome)}. Fix \`video.create.request\`.`]
  return askedDifferences(ask.due, found, outcome.losses).map(
    (difference) => `With ${ask.name}: ${difference}. Send it, declare it, or fix \`capabilities.${ask.ability}\`.`,
  )
}

/** A repeated creation must be a single creation for the vendor. */
export const intentCheck: Check<VideoTarget> = {
  name: 'sends a unique name for each creation, if the vendor supports one',
  async run(target) {
    const { video } = target
    const support = supportOf(target)
    const { request, ...ask } = plainAsk(abilitiesOf(support, video.model), video.model)
    const intents: (string | undefined)[] = []
    for (const intent of [
      '3d2f1c60-9a51-4b4e-8d6e-2b1a70e3c5aa',
      '3d2f1c60-9a51-4b4e-8d6e-2b1a70e3c5aa',
      'c0a1e5d4-77f2-4e0b-9f58-0d6b3c2a1f44',
    ]) {
      const { vendor } = await create(target, { ...ask, request: { ...request, intent } } as VideoCase)
      intents.push(vendor.asked[0]?.intent)
    }
    const [first, again, other] = intents
    if (first === undefined) {
      return support.idempotent
        ? [
            "`idempotent` is set, but `read` of the facts finds no `intent` in the request: send the vendor's idempotency key.",
          ]
        : []
    }
    return [
      ...(first === again ? [] : ['One `intent` is sent as two names: a retried creation would create two tasks.']),
      ...(first === other ? ['Two intents are sent as one name: the second task would not be created.'] : []),
    ]
  },
}

/** Checks for a provider whose wire format is the caller's. */
export const nativeCheck: Check<VideoTarget> = {
  name: 'forwards requests and responses of callers with its wire format, including unknown fields',
  async run(target) {
    const { video, harness } = target
    const support = supportOf(target)
    if (support.native === undefined) return []
    const { request } = plainAsk(abilitiesOf(support, video.model), video.model)
    const body = {
      ...request.body,
      model: 'as-the-caller-calls-it',
      field_that_nobody_knows: { of: ['the', 'future'] },
    }
    const { vendor, ref } = await create(target, { request: { ...request, body } })
    const sent = vendor.asks.find((ask) => ask.for === 'create')?.request.body
    const field = isObject(sent) ? sent['field_that_nobody_knows'] : undefined
    if (!ref) return ['A body with an unknown field created no task: send `request.body` unchanged.']
    vendor.now.task = video.states.succeeded
    const { out } = await drive(harness, remote(support, 'get'), ref, video.model)
    return [
      ...(isDeepStrictEqual(field, body.field_that_nobody_knows)
        ? []
        : ['An unknown field of the caller was not sent: send the whole `request.body`.']),
      ...(isObject(sent) && sent['model'] === video.model
        ? []
        : ["The body does not have the provider's model: set it to `request.model`."]),
      ...(out && !out.native
        ? ["`get` returns no `native`: callers with the same wire format must get the vendor's task."]
        : []),
    ]
  },
}
