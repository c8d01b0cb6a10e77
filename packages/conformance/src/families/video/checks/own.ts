import { setTimeout as wait } from 'node:timers/promises'
import type { InProcess, VideoRequest, VideoSupport, VideoTask } from '@headgate/core/provider'
import { type Check, within } from '../../../checks/check.ts'
import { object, text } from '../../../json.ts'
import { show } from '../../../show.ts'
import { PUBLIC_URL } from '../../../tasks.ts'
import { testCall } from '../../../test-call.ts'
import { askFor, awaited, isOver, said } from '../gateway.ts'
import { abilitiesOf, requestOf } from '../requests.ts'
import { type OwnVideoSubject, supportOf } from '../subject.ts'
import type { Ref } from './create.ts'
import { kindFindings } from './states.ts'

const PATIENCE_MS = 10_000
/** Longer than it takes on a machine that is busy to see that nobody waits. */
const STOP_MS = 3_000
/** How often a task is asked for until it ends. */
const PACE_MS = 20
const FINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'expired'])

type Ended = keyof OwnVideoSubject['video']['texts']

/** A provider of videos in this process: what a text leads to. */
export function ownEndCheck(end: Ended): Check<OwnVideoSubject> {
  return {
    name: `makes tasks in this process that end ${end === 'refused' ? 'as refused by moderation' : `as ${end}`}`,
    async run(subject) {
      const { model, texts } = subject.video
      const text = texts[end]
      if (text === undefined) return []
      const ref = await createOwn(subject, text)
      if (typeof ref === 'string') return [ref]
      const seen = await within(PATIENCE_MS, followed(subject, ref))
      const last = seen?.at(-1)
      if (!last)
        return [
          `No task of ${JSON.stringify(text)} ended within ${PATIENCE_MS / 1000} seconds: make it quicker in the config of the test.`,
        ]
      const due = end === 'refused' ? 'failed' : end
      if (last.status !== due)
        return [`A task of ${JSON.stringify(text)} ended as ${last.status}, due is ${due}: mend \`get.run\`.`]
      const again = await own(supportOf(subject), 'get').run(ref, AbortSignal.timeout(PATIENCE_MS), testCall({ model }))
      return [
        ...(again.status === due
          ? []
          : [`A task that ended as ${due} was ${again.status} afterwards: what has ended stays so.`]),
        ...(end === 'succeeded' ? videoFindings(last) : []),
        ...((end === 'failed' || end === 'refused') && !last.error ? ['A task that failed has no `error`.'] : []),
        ...(last.error ? kindFindings(last.error, end) : []),
      ]
    },
  }
}

/** A task as callers of a gateway get it. */
export const ownServedCheck: Check<OwnVideoSubject> = {
  name: 'serves a task that is made in this process, to its video',
  async run(subject) {
    const bench = await subject.open()
    try {
      const { model, texts } = subject.video
      const got = await askFor(bench, requestOf(model, { text: texts.succeeded }))
      const id = text(object(got.body)['id'])
      if (got.status !== 200 || id === '') return [`Callers get ${said(got)} Mend \`create.run\`.`]
      const task = await awaited(bench, id, isOver, PATIENCE_MS)
      const url = text(object(task['content'])['video_url'])
      if (task['status'] !== 'succeeded' || url === '')
        return [`Callers get ${show(task)}, due is a task with a video: mend \`get.run\`.`]
      if (!url.startsWith(PUBLIC_URL)) return []
      const file = await bench.ask({ path: url.slice(PUBLIC_URL.length) })
      return file.status === 200 && file.text !== '' ? [] : [`Under the link to the video callers get ${said(file)}`]
    } finally {
      await bench.close()
    }
  },
}

/** A caller that leaves: `run` gets it as the abort of its signal. */
export const ownStopCheck: Check<OwnVideoSubject> = {
  name: 'stops asking for a video in this process when it is told to, and cancels',
  async run(subject) {
    const { model, texts } = subject.video
    const support = supportOf(subject)
    const call = testCall({ model })
    const create = own(support, 'create')
    const stopped = create.run(requestOf(model, { text: texts.succeeded }), AbortSignal.abort(), call).then(
      () => true,
      () => true,
    )
    if (!(await within(STOP_MS, stopped)))
      return ['`create.run` goes on after its signal has aborted: listen to the signal.']
    if (!support.cancel) return []
    const ref = await createOwn(subject, texts.succeeded)
    if (typeof ref === 'string') return [ref]
    const told = await own(support, 'cancel').run(ref, AbortSignal.timeout(PATIENCE_MS), call)
    if (told !== 'canceled' && told !== 'not-cancelable') return [`\`cancel.run\` gives ${JSON.stringify(told)}.`]
    return []
  },
}

async function createOwn(subject: OwnVideoSubject, text: string): Promise<Ref | string> {
  const { model } = subject.video
  const support = supportOf(subject)
  if (abilitiesOf(support, model).text === false)
    return 'The provider makes no videos of texts: the kit has nothing else to give it.'
  const ref = await within(
    STOP_MS,
    own(support, 'create').run(requestOf(model, { text }), AbortSignal.timeout(STOP_MS), testCall({ model })),
  )
  if (typeof ref?.id !== 'string' || ref.id === '') return '`create.run` gives no `id`.'
  return JSON.parse(JSON.stringify(ref)) as Ref
}

/** How a task was each time that it was asked for, until it ended. */
async function followed(subject: OwnVideoSubject, ref: Ref): Promise<VideoTask[]> {
  const { model } = subject.video
  const get = own(supportOf(subject), 'get')
  const seen: VideoTask[] = []
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await wait(PACE_MS)) {
    const task = await get.run(ref, AbortSignal.timeout(PATIENCE_MS), testCall({ model }))
    seen.push(task)
    if (FINAL.has(task.status)) return seen
  }
  return []
}

function videoFindings({ video }: VideoTask): string[] {
  if (!video || (video.bytes === undefined && video.url === undefined)) return ['A task that succeeded has no `video`.']
  const { bytes, type = 'video/mp4' } = video
  return bytes && type === 'video/mp4' && Buffer.from(bytes.subarray(4, 8)).toString('latin1') !== 'ftyp'
    ? ['The bytes of the video are no MP4 file.']
    : []
}

interface Own {
  readonly create: InProcess<VideoRequest, Promise<Ref>>
  readonly get: InProcess<Ref, Promise<VideoTask>>
  readonly cancel: InProcess<Ref, Promise<'canceled' | 'not-cancelable'>>
}

function own<K extends keyof Own>(support: VideoSupport, member: K): Own[K] {
  const found = support[member]
  if (!found || !('run' in found))
    throw new TypeError(`\`video.${member}\` has no \`run\`, and the facts have no upstream.`)
  return found as unknown as Own[K]
}
