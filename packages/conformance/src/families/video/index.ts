import { isNext, type TaskRef, type VideoSupport } from '@headgate/core/provider'
import { type Check, over } from '../../checks/check.ts'
import type { ProviderFacts } from '../../facts.ts'
import { parse } from '../../json.ts'
import { secretsOf } from '../../place.ts'
import { isNew, type TestScope } from '../../scope.ts'
import { testCall } from '../../test-call.ts'
import type { Asks, FamilyKit } from '../family.ts'
import { abilitiesCheck, intentCheck, nativeCheck, videoReachCheck } from './checks/create.ts'
import { deniedCheck } from './checks/denied.ts'
import { cancelCheck, findCheck } from './checks/ending.ts'
import { ownEndCheck, ownServedCheck, ownStopCheck } from './checks/own.ts'
import { refusalsCheck } from './checks/refusals.ts'
import { videoSecrecyCheck } from './checks/secrecy.ts'
import {
  servedCancelCheck,
  servedCheck,
  servedEndsCheck,
  servedLossCheck,
  servedRefusalsCheck,
} from './checks/served.ts'
import { missingVideoCheck, stateCheck, unknownStateCheck } from './checks/states.ts'
import type { RemoteVideoFacts } from './facts.ts'
import { requestOf } from './requests.ts'
import type { InProcessVideoTarget, VideoTarget } from './target.ts'
import { replyOf, type StateName } from './vendor.ts'

const STATES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'refused',
  'cancelled',
  'expired',
] as const satisfies readonly StateName[]
const ENDS = ['succeeded', 'failed', 'refused', 'expired'] as const

/** Video tasks. */
export const video: FamilyKit = {
  id: 'video',
  fact: {
    name: 'video',
    isGiven: ({ video }) => video !== undefined,
    has: ({ video }) => video !== undefined,
  },
  checks: videoChecks,
  asks({ video }, { video: facts }) {
    if (!video || !facts || facts.create === undefined) return []
    const call = testCall({ model: facts.model })
    const { create, get, cancel } = video
    const ref = { id: facts.id, ...refOf(create, facts) }
    const asks: Asks[] = [
      {
        member: 'video.create.request',
        make: () => ('request' in create ? create.request(requestOf(facts.model, {}), call) : undefined),
      },
      { member: 'video.get.request', make: () => ('request' in get ? get.request(ref, call) : undefined) },
      {
        member: 'video.cancel.request',
        make: () => (cancel && 'request' in cancel ? cancel.request(ref, call) : undefined),
      },
    ]
    return asks
  },
}

/**
 * Reference from the response to a creation. Empty if the adapter cannot read it, which is the finding of another
 * check.
 */
function refOf(create: VideoSupport['create'], facts: RemoteVideoFacts): Partial<TaskRef> {
  if (!('response' in create)) return {}
  const reply = replyOf(facts.created, 'https://vendor.example')
  try {
    const body = reply.kind === 'whole' ? (typeof reply.body === 'string' ? parse(reply.body) : reply.body) : undefined
    const ref = create.response(
      { status: 200, headers: {}, body, bytes: new Uint8Array() },
      requestOf(facts.model, {}),
      [],
    )
    return isNext(ref) ? {} : ref
  } catch {
    return {}
  }
}

/** Checks of a provider's videos. */
function videoChecks({ upstream, video }: ProviderFacts<unknown>, scope: TestScope): Check[] {
  if (!video || (!isNew(video) && scope === 'short')) return []
  if (video.create === undefined) {
    if (upstream && !('texts' in video))
      throw new TypeError('The facts have an `upstream`, but no `video.create`: add the path that creates a task.')
    const own: Check<InProcessVideoTarget>[] = [
      ...ENDS.filter((end) => video.texts[end] !== undefined).map(ownEndCheck),
      ownServedCheck,
      ownStopCheck,
    ]
    return own.map((check) => over(check, (target) => ({ ...target, video })))
  }
  if (!upstream) throw new TypeError('The facts have `video.create`, but no `upstream`.')
  const secrets = secretsOf(upstream)
  const remote: Check<VideoTarget>[] = [
    videoReachCheck,
    abilitiesCheck,
    intentCheck,
    nativeCheck,
    ...STATES.filter((state) => video.states[state] !== undefined).map(stateCheck),
    unknownStateCheck,
    missingVideoCheck,
    cancelCheck,
    findCheck,
    refusalsCheck,
    servedCheck,
    servedEndsCheck,
    servedCancelCheck,
    servedRefusalsCheck,
    servedLossCheck,
    deniedCheck,
    ...(secrets.length > 0 ? [videoSecrecyCheck(secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, video })))
}
