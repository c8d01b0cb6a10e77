import type { VideoTask } from '@headgate/core/provider'
import type { Check } from '../../../checks/check.ts'
import { drive, instead } from '../drive.ts'
import { abilitiesOf, plainAsk } from '../requests.ts'
import { supportOf, type VideoSubject } from '../subject.ts'
import { linesOf, strayFindings, videoVendor } from '../vendor.ts'
import { create, createIn, type Ref, remote } from './create.ts'

/** A task that is ended before it begins, and one for which it is too late. */
export const cancelCheck: Check<VideoSubject> = {
  name: 'cancels a task, and says when it is too late',
  async run(subject) {
    const { video, bench } = subject
    const support = supportOf(subject)
    if (!video.cancel)
      return support.cancel ? ['The provider has `video.cancel`, and the facts of the test have none: add it.'] : []
    if (!support.cancel) return ['The vendor can cancel tasks, and the provider has no `video.cancel`.']
    const findings: string[] = []
    for (const [told, due] of [
      ['done', 'canceled'],
      ['late', 'not-cancelable'],
    ] as const) {
      const { vendor, ref } = await createIn(subject, told === 'done' ? 'running' : 'succeeded')
      if (!ref) return []
      vendor.now.cancelled = video.cancel[told]
      const outcome = await drive<Ref, string>(bench, remote(support, 'cancel'), ref, video.model)
      const strays = strayFindings(vendor, [...linesOf(video, 'cancel'), ...linesOf(video, 'get')], '`video.cancel`')
      findings.push(...strays)
      if (strays.length > 0) continue
      // Who looks at the task first need not ask for what is too late.
      const isSeen = told === 'late' && outcome.out === due
      if (!isSeen && !vendor.asks.some((ask) => ask.for === 'cancel'))
        findings.push(`The vendor was not asked at ${video.cancel.path}: mend \`cancel.request\`.`)
      else if (outcome.out !== due) {
        const mend = outcome.failure ? 'let `cancel.reads` take the failure for an answer' : 'mend `cancel.response`'
        const what = told === 'done' ? 'The vendor has canceled the task' : 'It is too late to cancel the task'
        findings.push(`${what}, which is "${due}"; ${instead(outcome)}. To mend it, ${mend}.`)
      }
    }
    return findings
  },
}

/** A creation whose answer was lost. */
export const findCheck: Check<VideoSubject> = {
  name: 'finds the task of a creation whose answer was lost, and no other',
  async run(subject) {
    const { video, bench } = subject
    const support = supportOf(subject)
    if (!video.find)
      return support.find ? ['The provider has `video.find`, and the facts of the test have none: add it.'] : []
    if (!support.find) return ['The vendor lists tasks by what names them, and the provider has no `video.find`.']
    const { request } = plainAsk(abilitiesOf(support, video.model), video.model)
    const intent = {
      intent: request.intent,
      model: video.model,
      createdAt: Date.now(),
      ...(support.trace && { trace: JSON.parse(JSON.stringify(support.trace(request))) }),
    }
    const { vendor: first } = await create(subject, { request })
    const name = first.asked[0]?.intent ?? request.intent
    const other = [...name].map((char) => (char === '0' ? '1' : /[1-9]/.test(char) ? '0' : char)).join('')
    const findings: string[] = []
    for (const [what, answer, isThere] of [
      ['has the task', video.find.found(name), true],
      ['has none', video.find.none, false],
      ['has one of another creation', video.find.found(other), false],
    ] as const) {
      const vendor = videoVendor(video, bench.upstream.origin)
      bench.upstream.answer(vendor.answer)
      vendor.now.listed = answer
      const outcome = await drive<typeof intent, Ref | undefined>(bench, remote(support, 'find'), intent, video.model)
      findings.push(...strayFindings(vendor, linesOf(video, 'find'), '`video.find.request`'))
      if (vendor.strays.length > 0) break
      const isRead = outcome.failure === undefined && outcome.thrown === undefined
      if (!isRead || (outcome.out !== undefined) !== isThere) {
        findings.push(
          `The vendor ${what}: \`find\` must give ${isThere ? 'what names it' : 'undefined'}; ${instead(outcome)}. Mend \`find.response\`.`,
        )
        continue
      }
      if (!isThere || !outcome.out) continue
      const asked = await drive<Ref, VideoTask>(
        bench,
        remote(support, 'get'),
        JSON.parse(JSON.stringify(outcome.out)) as Ref,
        video.model,
      )
      if (asked.out?.status !== 'running' && asked.out?.status !== 'queued')
        findings.push(
          `What \`find\` gives is not enough for \`get\`: ${instead(asked)}. Give the same as \`create.response\`.`,
        )
    }
    return findings
  },
}
