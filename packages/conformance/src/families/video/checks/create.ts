import { isDeepStrictEqual } from 'node:util'
import type { VideoSupport } from '@headgate/core/provider'
import { type Check, distinct } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import { show } from '../../../show.ts'
import { askedDifferences } from '../compare.ts'
import { drive, instead, type Outcome } from '../drive.ts'
import type { AskedVideo } from '../facts.ts'
import { type Ask, abilitiesOf, asksOf, plainAsk } from '../requests.ts'
import { supportOf, type VideoSubject } from '../subject.ts'
import { linesOf, type StateName, strayFindings, type VideoVendor, videoVendor } from '../vendor.ts'

type Remote<K extends 'create' | 'get' | 'cancel' | 'find'> = Extract<
  NonNullable<VideoSupport[K]>,
  { request: unknown }
>

/** The member as an exchange; throws where it runs in this process. */
export function remote<K extends 'create' | 'get' | 'cancel' | 'find'>(support: VideoSupport, member: K): Remote<K> {
  const exchange = support[member]
  if (!exchange || !('request' in exchange))
    throw new TypeError(`\`video.${member}\` has no \`request\`, and the facts have an upstream.`)
  return exchange as Remote<K>
}

/** What names the task at the vendor, as it is kept and comes back. */
export type Ref = { readonly id: string }

export interface Created {
  readonly vendor: VideoVendor
  readonly outcome: Outcome<Ref>
  readonly ref: Ref | undefined
}

/** Has a task made by the adapter, at a vendor that has just begun. */
export async function create(subject: VideoSubject, { request }: Pick<Ask, 'request'>): Promise<Created> {
  const { bench, video } = subject
  const vendor = videoVendor(video, bench.upstream.origin)
  bench.upstream.answer(vendor.answer)
  const outcome = await drive<typeof request, Ref>(bench, remote(supportOf(subject), 'create'), request, video.model)
  return { vendor, outcome, ref: outcome.out && (JSON.parse(JSON.stringify(outcome.out)) as Ref) }
}

/** A task of the plainest kind, of which the vendor says this state. */
export async function createIn(subject: VideoSubject, state: StateName): Promise<Created> {
  const made = await create(
    subject,
    plainAsk(abilitiesOf(supportOf(subject), subject.video.model), subject.video.model),
  )
  made.vendor.now.task = subject.video.states[state] ?? []
  return made
}

/** The transport, before anything that goes over it. */
export const videoReachCheck: Check<VideoSubject> = {
  name: 'reaches its upstream with a request for a video, and keeps what names the task',
  isGate: true,
  async run(subject) {
    const { video } = subject
    const { vendor, outcome, ref } = await createIn(subject, 'running')
    const findings = [
      ...strayFindings(vendor, linesOf(video, 'create'), '`video.create.request`, or `baseUrl`'),
      ...refusalFindings(vendor, 'the plainest request'),
    ]
    if (findings.length > 0) return findings
    if (vendor.asked.length === 0)
      return [`No request for a task got to the upstream: ${instead(outcome)}. Mend \`video.create.request\` first.`]
    if (!ref)
      return [
        `The vendor made a task, and ${instead(outcome)}. Mend \`video.create.response\` first, or \`readError\`.`,
      ]
    return [
      ...(typeof ref.id === 'string' && (ref.id.includes(video.id) || (ref.id !== '' && video.id.includes(ref.id)))
        ? []
        : [`The vendor's task is ${video.id}, and \`video.create.response\` gives the id ${show(ref.id)}.`]),
      ...(isObject(outcome.out) && !isDeepStrictEqual(ref, compactRef(outcome.out))
        ? ['What names the task is kept as JSON, and comes back as something else: `state` must be plain JSON.']
        : []),
    ]
  },
}

/** Without what is undefined: JSON has it not. */
function compactRef(ref: object): object {
  return Object.fromEntries(Object.entries(ref).filter(([, value]) => value !== undefined))
}

function refusalFindings(vendor: VideoVendor, what: string): string[] {
  return vendor.refusals.map(
    (reason) => `The vendor would refuse ${what}: ${reason}. Mend \`video.create.request\`, or what \`can\` says.`,
  )
}

/** What `can` claims gets to the vendor as it was asked, or is declared. */
export const abilitiesCheck: Check<VideoSubject> = {
  name: 'gets everything to the vendor that it says its model can do, or declares it',
  async run(subject) {
    const { model, models = [] } = subject.video
    const findings: string[] = []
    for (const one of [model, ...models]) {
      const found = await modelFindings({ ...subject, video: { ...subject.video, model: one } })
      findings.push(...(one === model ? found : found.map((finding) => `${one}: ${finding}`)))
    }
    return distinct(findings)
  },
}

async function modelFindings(subject: VideoSubject): Promise<string[]> {
  const { model } = subject.video
  const support = supportOf(subject)
  const findings: string[] = []
  const open = new Map<Ask['ability'], readonly string[]>()
  for (const ask of asksOf(abilitiesOf(support, model), model)) {
    const reasons = support.accepts?.(ask.request) ?? []
    if (reasons.length > 0) {
      if (!open.has(ask.ability)) open.set(ask.ability, reasons)
      continue
    }
    open.set(ask.ability, [])
    findings.push(...(await abilityFindings(subject, ask)))
  }
  for (const [ability, reasons] of open) {
    if (reasons.length > 0)
      findings.push(
        `\`can.${ability}\` claims what \`accepts\` never takes (${show(reasons[0])}): take it out of \`can\`.`,
      )
  }
  return findings
}

async function abilityFindings(subject: VideoSubject, ask: Ask): Promise<string[]> {
  const { vendor, outcome } = await create(subject, ask)
  const refused = [
    ...strayFindings(vendor, linesOf(subject.video, 'create'), '`video.create.request`'),
    ...refusalFindings(vendor, ask.name),
  ]
  if (refused.length > 0) return refused
  const found: AskedVideo | undefined = vendor.asked[0]
  if (!found) return [`With ${ask.name} nothing got to the vendor: ${instead(outcome)}. Mend \`video.create.request\`.`]
  return askedDifferences(ask.due, found, outcome.losses).map(
    (difference) => `With ${ask.name}: ${difference}. Send it, declare it, or mend \`can.${ask.ability}\`.`,
  )
}

/** One creation that is tried twice is one for the vendor. */
export const intentCheck: Check<VideoSubject> = {
  name: 'gives each creation a name of its own, where the vendor knows one',
  async run(subject) {
    const { video } = subject
    const support = supportOf(subject)
    const { request, ...ask } = plainAsk(abilitiesOf(support, video.model), video.model)
    const intents: (string | undefined)[] = []
    for (const intent of [
      '3d2f1c60-9a51-4b4e-8d6e-2b1a70e3c5aa',
      '3d2f1c60-9a51-4b4e-8d6e-2b1a70e3c5aa',
      'c0a1e5d4-77f2-4e0b-9f58-0d6b3c2a1f44',
    ]) {
      const { vendor } = await create(subject, { ...ask, request: { ...request, intent } } as Ask)
      intents.push(vendor.asked[0]?.intent)
    }
    const [first, again, other] = intents
    if (first === undefined) {
      return support.idempotent
        ? [
            '`idempotent` is claimed, and `read` of the facts finds no `intent` in the request: send the idempotency key of the vendor.',
          ]
        : []
    }
    return [
      ...(first === again
        ? []
        : ['One `intent` goes up as two names: a creation that is tried again would make two tasks.']),
      ...(first === other ? ['Two intents go up as one name: the second task would not be made.'] : []),
    ]
  },
}

/** The caller's wire is the vendor's own. */
export const nativeCheck: Check<VideoSubject> = {
  name: 'passes on what callers of its own wire send and get, also what nobody knows',
  async run(subject) {
    const { video, bench } = subject
    const support = supportOf(subject)
    if (support.native === undefined) return []
    const { request } = plainAsk(abilitiesOf(support, video.model), video.model)
    const body = {
      ...request.body,
      model: 'as-the-caller-calls-it',
      field_that_nobody_knows: { of: ['the', 'future'] },
    }
    const { vendor, ref } = await create(subject, { request: { ...request, body } })
    const sent = vendor.asks.find((ask) => ask.for === 'create')?.request.body
    const field = isObject(sent) ? sent['field_that_nobody_knows'] : undefined
    if (!ref) return ['Nothing was made of a body with a field that nobody knows: `request.body` must go up as it is.']
    vendor.now.task = video.states.succeeded
    const { out } = await drive(bench, remote(support, 'get'), ref, video.model)
    return [
      ...(isDeepStrictEqual(field, body.field_that_nobody_knows)
        ? []
        : ['A field of a caller that nobody knows did not go up: `request.body` must, whole.']),
      ...(isObject(sent) && sent['model'] === video.model
        ? []
        : ['The body does not name the model of the provider: put `request.model` into it.']),
      ...(out && !out.native
        ? ['`get` gives no `native`: callers of the same wire get the task as the vendor has it.']
        : []),
    ]
  },
}
