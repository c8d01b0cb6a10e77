import type { ErrorKind } from '@headgate/gateway'
import { type Check, distinct } from '../../../checks/check.ts'
import { drive, instead } from '../drive.ts'
import type { VideoAnswer } from '../facts.ts'
import { abilitiesOf, plainAsk } from '../requests.ts'
import { supportOf, type VideoTarget } from '../target.ts'
import { errorOf, videoVendor } from '../vendor.ts'
import { type Ref, remote } from './create.ts'

/** Wait that the kit's vendor requests by default, in seconds. */
const WAIT = '30'

/** Rejections of a request for a task. */
export const refusalsCheck: Check<VideoTarget> = {
  name: "distinguishes the vendor's rejections of a video request",
  async run(target) {
    const { video } = target
    const { moderation, limit, quota } = video.refusals ?? {}
    const limited: VideoAnswer = limit ?? [429, errorOf(video, 429, 'Too many requests.'), { 'retry-after': WAIT }]
    const due: [string, VideoAnswer | undefined, ErrorKind][] = [
      ['moderation rejects the request', moderation, 'content-policy'],
      ['there are too many requests', limited, 'rate-limited'],
      ["the account's quota is exhausted", quota, 'our-quota'],
      ['the key is unknown', [401, errorOf(video, 401, 'The key is unknown.')], 'our-credential'],
    ]
    const findings: string[] = []
    for (const [what, answer, kind] of due)
      if (answer !== undefined) findings.push(...(await refuse(target, what, answer, kind)))
    return distinct(findings)
  },
}

async function refuse(target: VideoTarget, what: string, answer: VideoAnswer, kind: ErrorKind): Promise<string[]> {
  const { harness, video } = target
  const support = supportOf(target)
  const { request } = plainAsk(abilitiesOf(support, video.model), video.model)
  const vendor = videoVendor(video, harness.upstream.origin)
  vendor.now.created = answer
  harness.upstream.answer(vendor.answer)
  const outcome = await drive<typeof request, Ref>(harness, remote(support, 'create'), request, video.model)
  const [, , headers] = Array.isArray(answer) ? answer : []
  const wait = headers?.['retry-after']
  return [
    ...(outcome.failure?.kind === kind
      ? []
      : [`The vendor responds that ${what}, which is "${kind}"; ${instead(outcome)}. Fix \`readError\`.`]),
    ...(wait !== undefined && outcome.failure?.kind === kind && outcome.failure.retryAfterMs !== Number(wait) * 1000
      ? [
          `The vendor requests a wait of ${wait} seconds, but \`retryAfterMs\` is ${outcome.failure.retryAfterMs}: fix \`readError\`.`,
        ]
      : []),
  ]
}
