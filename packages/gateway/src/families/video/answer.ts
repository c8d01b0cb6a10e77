import type { Usage } from '@headgate/core/canonical'
import { compact, type Json, text } from '@headgate/core/canonical'
import type { VideoOutput } from '@headgate/core/contract'
import type { Task } from '../../ports/tasks.ts'
import { isFinal, keptOf, ownWords } from '../../serve/tasks/kept.ts'
import { failureCode } from './error.ts'
import { gotOf, objectIn, PART_NAMES, PARTS } from './got.ts'
import { type Linking, linkOf } from './link.ts'

const SECOND = 1_000

/** Where the files are, for callers. */
function contentOf(linking: Linking, task: Task, native: Json): Json | undefined {
  const assets = gotOf(keptOf(task))?.assets ?? {}
  const own = PART_NAMES.flatMap((part) => {
    const asset = assets[part]
    return asset ? [[PARTS[part], linkOf(linking, task, part, asset)]] : []
  })
  return own.length === 0 ? undefined : { ...native, ...Object.fromEntries(own) }
}

/** Tokens as the Ark wire has them, and units by their names. What is not known is not said. */
function usageOf(usage: Usage | undefined): Json | undefined {
  if (!usage) return undefined
  const tokens =
    usage.output > 0 || !usage.units
      ? { completion_tokens: usage.output, total_tokens: usage.input + usage.output }
      : {}
  return { ...tokens, ...usage.units }
}

/** Reason of a task that failed; a provider of the Ark wire has its own code for it. */
function errorOf(task: Task, native: Json): Json | undefined {
  const { failure } = keptOf(task)
  if (!failure || !isFinal(task) || task.status === 'succeeded') return undefined
  const own = text(objectIn(native, 'error')['code']) ?? text(objectIn(native, 'failure_reason')['code'])
  return { code: own ?? failureCode(failure.kind), message: ownWords(task, failure.message) }
}

function outputFields({ duration, ratio, resolution, seed, frameRate, audio }: VideoOutput): Json {
  return compact({ seed, resolution, ratio, duration, framespersecond: frameRate, generate_audio: audio })
}

/**
 * A task in the wire of Volcengine Ark: what the vendor of that wire says, or what is known.
 * @see https://www.volcengine.com/docs/82379/1521309
 */
export function taskAnswer(linking: Linking, task: Task): Json {
  const kept = keptOf(task)
  const { native = {}, output = {}, progress } = gotOf(kept) ?? { assets: {} }
  const isOver = task.status === 'succeeded'
  // The first of these is ours where the caller gave none, the second is an id of the upstream's, the others are said
  // below.
  const { safety_identifier: _, draft_task_id: __, content: ___, error: ____, usage, ...said } = native
  return {
    ...kept.asked,
    ...said,
    id: task.id,
    model: text(native['model']) ?? task.providerModel,
    status: task.status,
    ...compact({ error: errorOf(task, native) }),
    created_at: Math.floor(task.createdAt / SECOND),
    updated_at: Math.floor(task.updatedAt / SECOND),
    ...outputFields(output),
    ...compact({
      content: isOver ? contentOf(linking, task, objectIn(native, 'content')) : undefined,
      usage: isFinal(task) ? (usage ?? usageOf(kept.usage)) : undefined,
      progress: task.status === 'running' ? progress : undefined,
    }),
  }
}

/** A task as one of a list: clients of one language look for its failure under another name. */
export function listedAnswer(linking: Linking, task: Task): Json {
  const answer = taskAnswer(linking, task)
  return answer['error'] === undefined ? answer : { ...answer, failure_reason: answer['error'] }
}
