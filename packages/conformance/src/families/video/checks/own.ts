import { setTimeout as wait } from 'node:timers/promises'
import type { InProcess, VideoRequest, VideoSupport, VideoTask } from '@headgate/core/provider'
import { type Check, within } from '../../../checks/check.ts'
import { object, text } from '../../../json.ts'
import { show } from '../../../show.ts'
import { PUBLIC_URL } from '../../../tasks.ts'
import { testCall } from '../../../test-call.ts'
import { askFor, awaited, isOver, said } from '../gateway.ts'
import { abilitiesOf, requestOf } from '../requests.ts'
import { type InProcessVideoTarget, supportOf } from '../target.ts'
import type { Ref } from './create.ts'
import { kindFindings } from './states.ts'

const PATIENCE_MS = 10_000
/** Milliseconds in which an abandoned task must stop on a busy machine. */
const STOP_MS = 3_000
/** Milliseconds between polls of a task. */
const PACE_MS = 20
const FINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'expired'])

type Ended = keyof InProcessVideoTarget['video']['texts']

/** Checks that a prompt leads to this end, for a provider that runs in-process. */
export function ownEndCheck(end: Ended): Check<InProcessVideoTarget> {
  return {
    name: `creates in-process tasks that end ${end === 'refused' ? 'as refused by moderation' : `as ${end}`}`,
    async run(target) {
      const { model, texts } = target.video
      const text = texts[end]
      if (text === undefined) return []
      const ref = await createOwn(target, text)
      if (typeof ref === 'string') return [ref]
      const seen = await within(PATIENCE_MS, followed(target, ref))
      const last = seen?.at(-1)
      if (!last)
        return [
          `No task for ${JSON.stringify(text)} ended within ${PATIENCE_MS / 1000} seconds: use a faster setting in the config of the test.`,
        ]
      const due = end === 'refused' ? 'failed' : end
      if (last.status !== due)
        return [`The task for ${JSON.stringify(text)} ended as ${last.status}, expected ${due}: fix \`get.run\`.`]
      const again = await own(supportOf(target), 'get').run(ref, AbortSignal.timeout(PATIENCE_MS), testCall({ model }))
      return [
        ...(again.status === due
          ? []
          : [`A task that ended as ${due} was ${again.status} afterwards: its final state must not change.`]),
        ...(end === 'succeeded' ? videoFindings(last) : []),
        ...((end === 'failed' || end === 'refused') && !last.error ? ['A failed task has no `error`.'] : []),
        ...(last.error ? kindFindings(last.error, end) : []),
      ]
    },
  }
}

/** Task as a gateway's caller receives it. */
export const ownServedCheck: Check<InProcessVideoTarget> = {
  name: 'serves an in-process task and its video',
  async run(target) {
    const harness = await target.open()
    try {
      const { model, texts } = target.video
      const got = await askFor(harness, requestOf(model, { text: texts.succeeded }))
      const id = text(object(got.body)['id'])
      if (got.status !== 200 || id === '') return [`Callers get ${said(got)} Fix \`create.run\`.`]
      const task = await awaited(harness, id, isOver, PATIENCE_MS)
      const url = text(object(task['content'])['video_url'])
      if (task['status'] !== 'succeeded' || url === '')
        return [`Callers get ${show(task)}, expected a task with a video: fix \`get.run\`.`]
      if (!url.startsWith(PUBLIC_URL)) return []
      const file = await harness.ask({ path: url.slice(PUBLIC_URL.length) })
      return file.status === 200 && file.text !== '' ? [] : [`The video's link returns ${said(file)}`]
    } finally {
      await harness.close()
    }
  },
}

/** Caller that disconnects: `run` receives an aborted signal. */
export const ownStopCheck: Check<InProcessVideoTarget> = {
  name: 'stops an in-process task when its signal aborts, and cancels',
  async run(target) {
    const { model, texts } = target.video
    const support = supportOf(target)
    const call = testCall({ model })
    const create = own(support, 'create')
    const stopped = create.run(requestOf(model, { text: texts.succeeded }), AbortSignal.abort(), call).then(
      () => true,
      () => true,
    )
    if (!(await within(STOP_MS, stopped)))
      return ['`create.run` continues after its signal aborts: listen to the signal.']
    if (!support.cancel) return []
    const ref = await createOwn(target, texts.succeeded)
    if (typeof ref === 'string') return [ref]
    const told = await own(support, 'cancel').run(ref, AbortSignal.timeout(PATIENCE_MS), call)
    if (told !== 'canceled' && told !== 'not-cancelable') return [`\`cancel.run\` returns ${JSON.stringify(told)}.`]
    return []
  },
}

async function createOwn(target: InProcessVideoTarget, text: string): Promise<Ref | string> {
  const { model } = target.video
  const support = supportOf(target)
  if (abilitiesOf(support, model).text === false)
    return 'The provider does not support text prompts: the kit has no other input.'
  const ref = await within(
    STOP_MS,
    own(support, 'create').run(requestOf(model, { text }), AbortSignal.timeout(STOP_MS), testCall({ model })),
  )
  if (typeof ref?.id !== 'string' || ref.id === '') return '`create.run` returns no `id`.'
  return JSON.parse(JSON.stringify(ref)) as Ref
}

/** Every state of a task until its end. */
async function followed(target: InProcessVideoTarget, ref: Ref): Promise<VideoTask[]> {
  const { model } = target.video
  const get = own(supportOf(target), 'get')
  const seen: VideoTask[] = []
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await wait(PACE_MS)) {
    const task = await get.run(ref, AbortSignal.timeout(PATIENCE_MS), testCall({ model }))
    seen.push(task)
    if (FINAL.has(task.status)) return seen
  }
  return []
}

function videoFindings({ video }: VideoTask): string[] {
  if (!video || (video.bytes === undefined && video.url === undefined)) return ['A succeeded task has no `video`.']
  const { bytes, type = 'video/mp4' } = video
  return bytes && type === 'video/mp4' && Buffer.from(bytes.subarray(4, 8)).toString('latin1') !== 'ftyp'
    ? ['The bytes of the video are not an MP4 file.']
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
    throw new TypeError(`\`video.${member}\` has no \`run\`, but the facts have no upstream.`)
  return found as unknown as Own[K]
}
