import type { VideoTask } from '@headgate/core/provider'
import type { Check } from '../../../checks/check.ts'
import { drive, instead } from '../drive.ts'
import { abilitiesOf, plainAsk } from '../requests.ts'
import { supportOf, type VideoTarget } from '../target.ts'
import { linesOf, strayFindings, videoVendor } from '../vendor.ts'
import { create, createIn, type Ref, remote } from './create.ts'

/** Tasks that are canceled in time, and too late. */
export const cancelCheck: Check<VideoTarget> = {
  name: 'cancels a task, and reports if it is too late',
  async run(target) {
    const { video, harness } = target
    const support = supportOf(target)
    if (!video.cancel)
      return support.cancel ? ['The provider has `video.cancel`, but the facts of the test do not: add it.'] : []
    if (!support.cancel) return ['The vendor can cancel tasks, but the provider has no `video.cancel`.']
    const findings: string[] = []
    for (const [told, due] of [
      ['done', 'canceled'],
      ['late', 'not-cancelable'],
    ] as const) {
      const { vendor, ref } = await createIn(target, told === 'done' ? 'running' : 'succeeded')
      if (!ref) return []
      vendor.now.cancelled = video.cancel[told]
      const outcome = await drive<Ref, string>(harness, remote(support, 'cancel'), ref, video.model)
      const strays = strayFindings(vendor, [...linesOf(video, 'cancel'), ...linesOf(video, 'get')], '`video.cancel`')
      findings.push(...strays)
      if (strays.length > 0) continue
      // An adapter can read the task first, and skip a cancellation that is too late.
      const isSeen = told === 'late' && outcome.out === due
      if (!isSeen && !vendor.asks.some((ask) => ask.for === 'cancel'))
        findings.push(`The adapter sent no request to ${video.cancel.path}: fix \`cancel.request\`.`)
      else if (outcome.out !== due) {
        const advice = outcome.failure ? 'let `cancel.reads` accept the failure as a response' : 'fix `cancel.response`'
        const what = told === 'done' ? 'The vendor has canceled the task' : 'It is too late to cancel the task'
        findings.push(`${what}, which is "${due}"; ${instead(outcome)}. To fix it, ${advice}.`)
      }
    }
    return findings
  },
}

/** Creation whose response was lost. */
export const findCheck: Check<VideoTarget> = {
  name: 'finds the task of a creation whose response was lost, and no other task',
  async run(target) {
    const { video, harness } = target
    const support = supportOf(target)
    if (!video.find)
      return support.find ? ['The provider has `video.find`, but the facts of the test do not: add it.'] : []
    if (!support.find) return ['The vendor lists tasks with their names, but the provider has no `video.find`.']
    const { request } = plainAsk(abilitiesOf(support, video.model), video.model)
    const intent = {
      intent: request.intent,
      model: video.model,
      createdAt: Date.now(),
      ...(support.trace && { trace: JSON.parse(JSON.stringify(support.trace(request))) }),
    }
    const { vendor: first } = await create(target, { request })
    const name = first.asked[0]?.intent ?? request.intent
    const other = [...name].map((char) => (char === '0' ? '1' : /[1-9]/.test(char) ? '0' : char)).join('')
    const findings: string[] = []
    for (const [what, answer, isThere] of [
      ['has the task', video.find.found(name), true],
      ['has none', video.find.none, false],
      ['has a task of another creation', video.find.found(other), false],
    ] as const) {
      const vendor = videoVendor(video, harness.upstream.origin)
      harness.upstream.answer(vendor.answer)
      vendor.now.listed = answer
      const outcome = await drive<typeof intent, Ref | undefined>(harness, remote(support, 'find'), intent, video.model)
      findings.push(...strayFindings(vendor, linesOf(video, 'find'), '`video.find.request`'))
      if (vendor.strays.length > 0) break
      const isRead = outcome.failure === undefined && outcome.thrown === undefined
      if (!isRead || (outcome.out !== undefined) !== isThere) {
        findings.push(
          `The vendor ${what}: \`find\` must return ${isThere ? 'its reference' : 'undefined'}; ${instead(outcome)}. Fix \`find.response\`.`,
        )
        continue
      }
      if (!isThere || !outcome.out) continue
      const asked = await drive<Ref, VideoTask>(
        harness,
        remote(support, 'get'),
        JSON.parse(JSON.stringify(outcome.out)) as Ref,
        video.model,
      )
      if (asked.out?.status !== 'running' && asked.out?.status !== 'queued')
        findings.push(
          `The reference that \`find\` returns does not work with \`get\`: ${instead(asked)}. Return the same reference as \`create.response\`.`,
        )
    }
    return findings
  },
}
