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

/** Separate gateway, because a gateway keeps polling its tasks. */
export interface Stage {
  readonly bench: Bench
  readonly vendor: VideoVendor
  /** Requests a minimal task. */
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

/** Problems with the envelopes of the requests. */
function envelopeFindings({ upstream, video }: VideoSubject, { asks }: VideoVendor): string[] {
  const place = { ...upstream, forward: [...(upstream.forward ?? []), ...(video.headers ?? [])] }
  return asks.flatMap((ask) =>
    ask.for === 'video' ? credentialProblems(ask.request, upstream.credential) : envelopeProblems(ask.request, place),
  )
}

/** A task from its creation to its file. */
export const servedCheck: Check<VideoSubject> = {
  name: 'serves a task from its creation to its video, and records its usage once',
  run: (subject) =>
    staged(subject, async (stage) => {
      const { bench, vendor, create } = stage
      const { states, usage } = subject.video
      const got = await create()
      const id = text(object(got.body)['id'])
      if (got.status !== 200 || id === '')
        return [`Callers get ${said(got)} Fix \`video.create\`.`, ...envelopeFindings(subject, vendor)]
      const findings: string[] = []
      for (const state of ['queued', 'running'] as const) {
        if (!states[state]) continue
        vendor.now.task = states[state]
        const task = await awaited(bench, id, ({ status }) => status === state)
        if (task['status'] !== state)
          findings.push(`The vendor reports ${state}, but callers get a task with the status ${show(task['status'])}.`)
      }
      vendor.now.task = states.succeeded
      const task = await awaited(bench, id, isOver)
      if (task['status'] !== 'succeeded')
        return [
          ...findings,
          `The video is complete, but callers get ${show(task)}.`,
          ...envelopeFindings(subject, vendor),
        ]
      await awaited(bench, id, () => bench.rows.length > 0)
      const [row, ...more] = bench.rows
      return [
        ...findings,
        ...(await contentFindings(subject, bench, task)),
        ...(row && more.length === 0 ? [] : [`The task has ${bench.rows.length} usage rows, expected one.`]),
        ...(row && isDeepStrictEqual(plainUsage(row.usage), plainUsage(usage))
          ? []
          : [
              `The usage row has ${show(row?.usage)}, but the vendor charges ${show(usage)}: fix \`usage\` of \`get\`.`,
            ]),
        ...envelopeFindings(subject, vendor),
      ]
    }),
}

/** Usage without undefined members, as JSON stores it. */
function plainUsage(usage: object | undefined): unknown {
  return usage && JSON.parse(JSON.stringify(usage))
}

/** Checks the link to the video and its target. */
async function contentFindings({ video: { video } }: VideoSubject, bench: Bench, task: Json): Promise<string[]> {
  const url = text(object(task['content'])['video_url'])
  const isOurs = url.startsWith(`${PUBLIC_URL}${TASKS}/`)
  const isTheirs = video !== 'bytes' && !video.startsWith('/')
  if (isTheirs)
    return url === video || isOurs ? [] : [`Callers get the link ${url}, but the vendor has the video at ${video}.`]
  if (!isOurs)
    return [`Callers get the link ${url}, which they cannot open: set \`needsCredential\`, or return \`bytes\`.`]
  const got = await bench.ask({ path: url.slice(PUBLIC_URL.length) })
  if (got.status !== 200 || got.text === '') return [`The video's link returns ${said(got)}`]
  return video === 'bytes' || got.text === Buffer.from(MP4).toString('utf8')
    ? []
    : ["The video's link returns other content than the vendor's file."]
}

/** Other ends of tasks. */
export const servedEndsCheck: Check<VideoSubject> = {
  name: 'reports to callers how a task ended',
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
          findings.push(`The vendor reports ${state}, but callers get ${show(task)}, expected "${due}": fix \`get\`.`)
        if (due === 'failed' && text(object(task['error'])['message']) === '')
          findings.push('A failed task has no reason for callers: return one as `error` of `get`.')
      }
      return findings
    }),
}

/** Caller that cancels a task. */
export const servedCancelCheck: Check<VideoSubject> = {
  name: 'cancels tasks for callers, and responds with a 409 if it is too late',
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
        if (got.status !== 200) findings.push(`A task was canceled, but callers get ${said(got)}`)
        else {
          const task = await awaited(bench, id, isOver)
          if (task['status'] !== 'cancelled')
            findings.push(`A task was canceled, but callers get the status ${show(task['status'])}.`)
        }
        vendor.now.cancelled = cancel.late
      }
      const { got } = await remove(states.running)
      if (got.status !== 409 || codeOf(got) === undefined)
        findings.push(
          `A running task cannot be canceled, expected status 409; callers get ${said(got)} Fix \`video.cancel\`.`,
        )
      return findings
    }),
}

/** Responses to callers whose task is not created. */
export const servedRefusalsCheck: Check<VideoSubject> = {
  name: 'reports in the shape of Ark why no task was created',
  run: (subject) =>
    staged(subject, async ({ vendor, create }) => {
      const { video } = subject
      const {
        moderation,
        quota,
        limit = [429, errorOf(video, 429, 'Too many requests.'), { 'retry-after': '30' }],
      } = video.refusals ?? {}
      const due: [string, VendorAnswer | undefined, number, RegExp][] = [
        ['Moderation refuses', moderation, 400, /SensitiveContentDetected/],
        ['Too many requests', limit, 429, /./],
        ["The account's quota is exhausted", quota, 500, /./],
      ]
      const findings: string[] = []
      for (const [what, answer, status, code] of due) {
        if (answer === undefined) continue
        vendor.now.created = answer
        const got = await create()
        if (got.status !== status || !code.test(codeOf(got) ?? ''))
          findings.push(
            `${what}: expected status ${status} in the shape of Ark; callers get ${said(got)} Fix \`readError\`.`,
          )
        const asked = Array.isArray(answer) ? Number(answer[2]?.['retry-after']) : Number.NaN
        if (status === 429 && !Number.isNaN(asked) && got.headers['retry-after'] !== String(asked))
          findings.push(
            `The vendor requests a wait of ${asked} seconds, but callers get ${show(got.headers['retry-after'])}.`,
          )
      }
      return findings
    }),
}

/** Creation without a response. */
export const servedLossCheck: Check<VideoSubject> = {
  name: 'creates no second task if the response to a creation was lost',
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
          ? [`The gateway sent ${intents.length} requests to create the task, expected one.`]
          : []),
      ]
      const id = text(object(got.body)['id'])
      if (got.status !== 200 || id === '')
        return [...findings, `The response to a creation was lost, and callers get ${said(got)}`]
      const [intent] = intents
      if (find && intent !== undefined) vendor.now.listed = find.found(intent)
      const task = await awaited(bench, id, ({ status }) => status !== 'queued')
      if (find && finds && intent !== undefined && task['status'] !== 'running')
        findings.push(
          `The vendor has the task of a creation without a response, but callers get ${show(task)}: fix \`video.find\`.`,
        )
      if (!finds && task['status'] !== 'failed')
        findings.push(`The task cannot be found, but callers get ${show(task)}.`)
      return findings
    }),
}
