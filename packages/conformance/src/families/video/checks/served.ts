import { isDeepStrictEqual } from 'node:util'
import type { Json } from '@headgate/core/provider'
import type { Bench } from '../../../bench.ts'
import { type Check, distinct } from '../../../checks/check.ts'
import { credentialProblems, envelopeProblems } from '../../../checks/envelope.ts'
import { object, text } from '../../../json.ts'
import { show } from '../../../show.ts'
import { PUBLIC_URL } from '../../../tasks.ts'
import type { VendorAnswer } from '../facts.ts'
import { askFor, awaited, codeOf, isOver, said, TASKS } from '../gateway.ts'
import { abilitiesOf, plainAsk } from '../requests.ts'
import { supportOf, type VideoSubject } from '../subject.ts'
import { errorOf, MP4, type StateName, type VideoVendor, videoVendor } from '../vendor.ts'

/** A gateway of its own, since it goes on looking at its tasks. */
export interface Stage {
  readonly bench: Bench
  readonly vendor: VideoVendor
  /** Asks for a task of the plainest kind. */
  create(): ReturnType<typeof askFor>
}

export async function staged(
  subject: VideoSubject,
  run: (stage: Stage) => Promise<readonly string[]>,
): Promise<string[]> {
  const bench = await subject.open()
  try {
    const { video } = subject
    const vendor = videoVendor(video, bench.upstream.origin)
    bench.upstream.answer(vendor.answer)
    const { request } = plainAsk(abilitiesOf(supportOf({ ...subject, bench }), video.model), video.model)
    return distinct(await run({ bench, vendor, create: () => askFor(bench, request) }))
  } finally {
    await bench.close()
  }
}

/** What is wrong with the envelopes of what was asked. */
function envelopeFindings({ upstream, video }: VideoSubject, { asks }: VideoVendor): string[] {
  const place = { ...upstream, forward: [...(upstream.forward ?? []), ...(video.headers ?? [])] }
  return asks.flatMap((ask) =>
    ask.for === 'video' ? credentialProblems(ask.request, upstream.credential) : envelopeProblems(ask.request, place),
  )
}

/** From the request to the file. */
export const servedCheck: Check<VideoSubject> = {
  name: 'serves a task from its creation to its video, and accounts for it once',
  run: (subject) =>
    staged(subject, async (stage) => {
      const { bench, vendor, create } = stage
      const { states, usage } = subject.video
      const got = await create()
      const id = text(object(got.body)['id'])
      if (got.status !== 200 || id === '')
        return [`Callers get ${said(got)} Mend \`video.create\`.`, ...envelopeFindings(subject, vendor)]
      const findings: string[] = []
      for (const state of ['queued', 'running'] as const) {
        if (!states[state]) continue
        vendor.now.task = states[state]
        const task = await awaited(bench, id, ({ status }) => status === state)
        if (task['status'] !== state)
          findings.push(`The vendor says ${state}, and callers get a task that is ${show(task['status'])}.`)
      }
      vendor.now.task = states.succeeded
      const task = await awaited(bench, id, isOver)
      if (task['status'] !== 'succeeded')
        return [
          ...findings,
          `The vendor has made the video, and callers get ${show(task)}.`,
          ...envelopeFindings(subject, vendor),
        ]
      await awaited(bench, id, () => bench.rows.length > 0)
      const [row, ...more] = bench.rows
      return [
        ...findings,
        ...(await contentFindings(subject, bench, task)),
        ...(row && more.length === 0 ? [] : [`The task is accounted for in ${bench.rows.length} rows, due is one.`]),
        ...(row && isDeepStrictEqual(plainUsage(row.usage), plainUsage(usage))
          ? []
          : [
              `It was accounted with ${show(row?.usage)}, the vendor charges ${show(usage)}: mend \`usage\` of \`get\`.`,
            ]),
        ...envelopeFindings(subject, vendor),
      ]
    }),
}

/** As JSON has it: without what is undefined. */
function plainUsage(usage: object | undefined): unknown {
  return usage && JSON.parse(JSON.stringify(usage))
}

/** Where a caller finds the video, and what is there. */
async function contentFindings({ video: { video } }: VideoSubject, bench: Bench, task: Json): Promise<string[]> {
  const url = text(object(task['content'])['video_url'])
  const isOurs = url.startsWith(`${PUBLIC_URL}${TASKS}/`)
  const isTheirs = video !== 'bytes' && !video.startsWith('/')
  if (isTheirs)
    return url === video || isOurs ? [] : [`Callers are led to ${url}, the vendor has the video at ${video}.`]
  if (!isOurs) return [`Callers are led to ${url}, where they get nothing: say \`needsCredential\`, or give \`bytes\`.`]
  const got = await bench.ask({ path: url.slice(PUBLIC_URL.length) })
  if (got.status !== 200 || got.text === '') return [`Under the link to the video callers get ${said(got)}`]
  return video === 'bytes' || got.text === Buffer.from(MP4).toString('utf8')
    ? []
    : ['Under the link to the video callers get something else than the vendor has there.']
}

/** How tasks end otherwise. */
export const servedEndsCheck: Check<VideoSubject> = {
  name: 'tells callers how a task has ended',
  run: (subject) =>
    staged(subject, async ({ bench, vendor, create }) => {
      const findings: string[] = []
      for (const [state, due] of [
        ['failed', 'failed'],
        ['refused', 'failed'],
        ['cancelled', 'cancelled'],
        ['expired', 'expired'],
      ] as const satisfies readonly (readonly [StateName, string])[]) {
        const answers = subject.video.states[state]
        if (!answers) continue
        vendor.now.task = subject.video.states.running
        const id = text(object((await create()).body)['id'])
        vendor.now.task = answers
        const task = await awaited(bench, id, isOver)
        if (task['status'] !== due)
          findings.push(`The vendor says ${state}, and callers get ${show(task)}, due is "${due}": mend \`get\`.`)
        if (due === 'failed' && text(object(task['error'])['message']) === '')
          findings.push('A task that failed tells callers no reason: `error` of `get` must.')
      }
      return findings
    }),
}

/** A caller that takes back what it asked for. */
export const servedCancelCheck: Check<VideoSubject> = {
  name: 'cancels for callers, and answers with a 409 where it is too late',
  run: (subject) =>
    staged(subject, async ({ bench, vendor, create }) => {
      const { cancel, states } = subject.video
      const findings: string[] = []
      const remove = async (task: readonly VendorAnswer[]) => {
        vendor.now.task = task
        const id = text(object((await create()).body)['id'])
        return { id, got: await bench.ask({ path: `${TASKS}/${id}`, method: 'DELETE' }) }
      }
      if (cancel) {
        const { id, got } = await remove(states.queued ?? states.running)
        if (got.status !== 200) findings.push(`A task is canceled, and callers get ${said(got)}`)
        else {
          const task = await awaited(bench, id, isOver)
          if (task['status'] !== 'cancelled')
            findings.push(`A task is canceled, and callers get one that is ${show(task['status'])}.`)
        }
        vendor.now.cancelled = cancel.late
      }
      const { got } = await remove(states.running)
      if (got.status !== 409 || codeOf(got) === undefined)
        findings.push(
          `A task that runs can not be canceled, due is status 409; callers get ${said(got)} Mend \`video.cancel\`.`,
        )
      return findings
    }),
}

/** What callers get where no task is made. */
export const servedRefusalsCheck: Check<VideoSubject> = {
  name: 'tells callers in the shape of Ark why no task was made',
  run: (subject) =>
    staged(subject, async ({ vendor, create }) => {
      const { video } = subject
      const {
        moderation,
        quota,
        limit = [429, errorOf(video, 429, 'There are too many requests.'), { 'retry-after': '30' }],
      } = video.refusals ?? {}
      const due: [string, VendorAnswer | undefined, number, RegExp][] = [
        ['Moderation refuses', moderation, 400, /SensitiveContentDetected/],
        ['There are too many requests', limit, 429, /./],
        ['The account is used up', quota, 500, /./],
      ]
      const findings: string[] = []
      for (const [what, answer, status, code] of due) {
        if (answer === undefined) continue
        vendor.now.created = answer
        const got = await create()
        if (got.status !== status || !code.test(codeOf(got) ?? ''))
          findings.push(
            `${what}, due is status ${status} in the shape of Ark; callers get ${said(got)} Mend \`readError\`.`,
          )
        const asked = Array.isArray(answer) ? Number(answer[2]?.['retry-after']) : Number.NaN
        if (status === 429 && !Number.isNaN(asked) && got.headers['retry-after'] !== String(asked))
          findings.push(
            `The vendor asks to wait ${asked} seconds, callers are told ${show(got.headers['retry-after'])}.`,
          )
      }
      return findings
    }),
}

/** A creation whose answer never comes. */
export const servedLossCheck: Check<VideoSubject> = {
  name: 'makes no second task where the answer to a creation was lost',
  run: (subject) =>
    staged(subject, async ({ bench, vendor, create }) => {
      const { find, states } = subject.video
      const { idempotent = false, find: finds } = supportOf({ ...subject, bench })
      let isLost = true
      bench.upstream.answer((request) => {
        const reply = vendor.answer(request)
        return isLost && vendor.asks.at(-1)?.for === 'create' ? { kind: 'reset' } : reply
      })
      vendor.now.task = states.running
      if (find) vendor.now.listed = find.none
      const got = await create()
      isLost = false
      const intents = vendor.asked.map(({ intent }) => intent)
      const findings = [
        ...(!idempotent && intents.length > 1
          ? [`The vendor was asked to make the task ${intents.length} times, due is once.`]
          : []),
      ]
      const id = text(object(got.body)['id'])
      if (got.status !== 200 || id === '')
        return [...findings, `The answer to a creation was lost, and callers get ${said(got)}`]
      const [intent] = intents
      if (find && intent !== undefined) vendor.now.listed = find.found(intent)
      const task = await awaited(bench, id, ({ status }) => status !== 'queued')
      if (find && finds && intent !== undefined && task['status'] !== 'running')
        findings.push(
          `The vendor has the task whose creation was not answered, and callers get ${show(task)}: mend \`video.find\`.`,
        )
      if (!finds && task['status'] !== 'failed')
        findings.push(`Nobody can find the task, and callers get ${show(task)}.`)
      return findings
    }),
}
