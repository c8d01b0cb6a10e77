import { isDeepStrictEqual } from 'node:util'
import type { Json } from '@headgate/core/provider'
import { type Check, distinct } from '../../../checks/check.ts'
import { credentialProblems, envelopeProblems } from '../../../checks/envelope.ts'
import type { Harness } from '../../../harness.ts'
import { object, text } from '../../../json.ts'
import { show } from '../../../show.ts'
import { PUBLIC_URL } from '../../../tasks.ts'
import type { VideoAnswer } from '../facts.ts'
import { askFor, awaited, codeOf, isOver, said, TASKS } from '../gateway.ts'
import { abilitiesOf, plainAsk } from '../requests.ts'
import { supportOf, type VideoTarget } from '../target.ts'
import { errorOf, MP4, type StateName, type VideoVendor, videoVendor } from '../vendor.ts'

/** Separate gateway, because a gateway keeps polling its tasks. */
export interface VideoGateway {
  readonly harness: Harness
  readonly vendor: VideoVendor
  /** Requests a minimal task. */
  create(): ReturnType<typeof askFor>
}

export async function staged(
  target: VideoTarget,
  run: (stage: VideoGateway) => Promise<readonly string[]>,
): Promise<string[]> {
  const harness = await target.open()
  try {
    const { video } = target
    const vendor = videoVendor(video, harness.upstream.origin)
    harness.upstream.answer(vendor.answer)
    const { request } = plainAsk(abilitiesOf(supportOf({ ...target, harness }), video.model), video.model)
    return distinct(await run({ harness, vendor, create: () => askFor(harness, request) }))
  } finally {
    await harness.close()
  }
}

/** Problems with the envelopes of the requests. */
function envelopeFindings({ upstream, video }: VideoTarget, { asks }: VideoVendor): string[] {
  const place = { ...upstream, forward: [...(upstream.forward ?? []), ...(video.headers ?? [])] }
  return asks.flatMap((ask) =>
    ask.for === 'video' ? credentialProblems(ask.request, upstream.credential) : envelopeProblems(ask.request, place),
  )
}

/** A task from its creation to its file. */
export const servedCheck: Check<VideoTarget> = {
  name: 'serves a task from its creation to its video, and records its usage once',
  run: (target) =>
    staged(target, async (stage) => {
      const { harness, vendor, create } = stage
      const { states, usage } = target.video
      const got = await create()
      const id = text(object(got.body)['id'])
      if (got.status !== 200 || id === '')
        return [`Callers get ${said(got)} Fix \`video.create\`.`, ...envelopeFindings(target, vendor)]
      const findings: string[] = []
      for (const state of ['queued', 'running'] as const) {
        if (!states[state]) continue
        vendor.now.task = states[state]
        const task = await awaited(harness, id, ({ status }) => status === state)
        if (task['status'] !== state)
          findings.push(`The vendor reports ${state}, but callers get a task with the status ${show(task['status'])}.`)
      }
      vendor.now.task = states.succeeded
      const task = await awaited(harness, id, isOver)
      if (task['status'] !== 'succeeded')
        return [
          ...findings,
          `The video is complete, but callers get ${show(task)}.`,
          ...envelopeFindings(target, vendor),
        ]
      await awaited(harness, id, () => harness.rows.length > 0)
      const [row, ...more] = harness.rows
      return [
        ...findings,
        ...(await contentFindings(target, harness, task)),
        ...(row && more.length === 0 ? [] : [`The task has ${harness.rows.length} usage rows, expected one.`]),
        ...(row && isDeepStrictEqual(plainUsage(row.usage), plainUsage(usage))
          ? []
          : [
              `The usage row has ${show(row?.usage)}, but the vendor charges ${show(usage)}: fix \`usage\` of \`get\`.`,
            ]),
        ...envelopeFindings(target, vendor),
      ]
    }),
}

/** Usage without undefined members, as JSON stores it. */
function plainUsage(usage: object | undefined): unknown {
  return usage && JSON.parse(JSON.stringify(usage))
}

/** Checks the link to the video and its target. */
async function contentFindings({ video: { video } }: VideoTarget, harness: Harness, task: Json): Promise<string[]> {
  const url = text(object(task['content'])['video_url'])
  const isOurs = url.startsWith(`${PUBLIC_URL}${TASKS}/`)
  const isTheirs = video !== 'bytes' && !video.startsWith('/')
  if (isTheirs)
    return url === video || isOurs ? [] : [`Callers get the link ${url}, but the vendor has the video at ${video}.`]
  if (!isOurs)
    return [`Callers get the link ${url}, which they cannot open: set \`needsCredential\`, or return \`bytes\`.`]
  const got = await harness.ask({ path: url.slice(PUBLIC_URL.length) })
  if (got.status !== 200 || got.text === '') return [`The video's link returns ${said(got)}`]
  return video === 'bytes' || got.text === Buffer.from(MP4).toString('utf8')
    ? []
    : ["The video's link returns other content than the vendor's file."]
}

/** Other ends of tasks. */
export const servedEndsCheck: Check<VideoTarget> = {
  name: 'reports to callers how a task ended',
  run: (target) =>
    staged(target, async ({ harness, vendor, create }) => {
      const findings: string[] = []
      for (const [state, due] of [
        ['failed', 'failed'],
        ['refused', 'failed'],
        ['cancelled', 'cancelled'],
        ['expired', 'expired'],
      ] as const satisfies readonly (readonly [StateName, string])[]) {
        const answers = target.video.states[state]
        if (!answers) continue
        vendor.now.task = target.video.states.running
        const id = text(object((await create()).body)['id'])
        vendor.now.task = answers
        const task = await awaited(harness, id, isOver)
        if (task['status'] !== due)
          findings.push(`The vendor reports ${state}, but callers get ${show(task)}, expected "${due}": fix \`get\`.`)
        if (due === 'failed' && text(object(task['error'])['message']) === '')
          findings.push('A failed task has no reason for callers: return one as `error` of `get`.')
      }
      return findings
    }),
}

/** Caller that cancels a task. */
export const servedCancelCheck: Check<VideoTarget> = {
  name: 'cancels tasks for callers, and responds with a 409 if it is too late',
  run: (target) =>
    staged(target, async ({ harness, vendor, create }) => {
      const { cancel, states } = target.video
      const findings: string[] = []
      const remove = async (task: readonly VideoAnswer[]) => {
        vendor.now.task = task
        const id = text(object((await create()).body)['id'])
        return { id, got: await harness.ask({ path: `${TASKS}/${id}`, method: 'DELETE' }) }
      }
      if (cancel) {
        const { id, got } = await remove(states.queued ?? states.running)
        if (got.status !== 200) findings.push(`A task was canceled, but callers get ${said(got)}`)
        else {
          const task = await awaited(harness, id, isOver)
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
export const servedRefusalsCheck: Check<VideoTarget> = {
  name: 'reports in the shape of Ark why no task was created',
  run: (target) =>
    staged(target, async ({ vendor, create }) => {
      const { video } = target
      const {
        moderation,
        quota,
        limit = [429, errorOf(video, 429, 'Too many requests.'), { 'retry-after': '30' }],
      } = video.refusals ?? {}
      const due: [string, VideoAnswer | undefined, number, RegExp][] = [
        ['Moderation rejects', moderation, 400, /SensitiveContentDetected/],
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
export const servedLossCheck: Check<VideoTarget> = {
  name: 'creates no second task if the response to a creation was lost',
  run: (target) =>
    staged(target, async ({ harness, vendor, create }) => {
      const { find, states } = target.video
      const { idempotent = false, find: finds } = supportOf({ ...target, harness })
      let isLost = true
      harness.upstream.answer((request) => {
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
      const task = await awaited(harness, id, ({ status }) => status !== 'queued')
      if (find && finds && intent !== undefined && task['status'] !== 'running')
        findings.push(
          `The vendor has the task of a creation without a response, but callers get ${show(task)}: fix \`video.find\`.`,
        )
      if (!finds && task['status'] !== 'failed')
        findings.push(`The task cannot be found, but callers get ${show(task)}.`)
      return findings
    }),
}
