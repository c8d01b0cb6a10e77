import type { Usage } from '@headgate/core/canonical'
import { compact, type Json, text } from '@headgate/core/canonical'
import type { VideoOutput } from '@headgate/core/contract'
import type { Task } from '../../ports/tasks.ts'
import { isFinal, taskStateOf, withGatewayId } from '../../serve/tasks/state.ts'
import { failureCode } from './error.ts'
import { type Linking, linkOf } from './link.ts'
import { ASSET_FIELDS, ASSET_NAMES, objectIn, videoResultOf } from './result.ts'

const SECOND = 1_000

/** URLs of a task's files for the caller. */
function contentOf(linking: Linking, task: Task, native: Json): Json | undefined {
  const assets = videoResultOf(taskStateOf(task))?.assets ?? {}
  const own = ASSET_NAMES.flatMap((part) => {
    const asset = assets[part]
    return asset ? [[ASSET_FIELDS[part], linkOf(linking, task, part, asset)]] : []
  })
  return own.length === 0 ? undefined : { ...native, ...Object.fromEntries(own) }
}

/** Usage: tokens in the Ark shape, units by name. Unknown values are omitted. */
function usageOf(usage: Usage | undefined): Json | undefined {
  if (!usage) return undefined
  const tokens =
    usage.output > 0 || !usage.units
      ? { completion_tokens: usage.output, total_tokens: usage.input + usage.output }
      : {}
  return { ...tokens, ...usage.units }
}

/** Error of a failed task. An Ark-compatible provider's own code takes precedence. */
function errorOf(task: Task, native: Json): Json | undefined {
  const { failure } = taskStateOf(task)
  if (!failure || !isFinal(task) || task.status === 'succeeded') return undefined
  const own = text(objectIn(native, 'error')['code']) ?? text(objectIn(native, 'failure_reason')['code'])
  return { code: own ?? failureCode(failure.kind), message: withGatewayId(task, failure.message) }
}

function outputFields({ duration, ratio, resolution, seed, frameRate, audio }: VideoOutput): Json {
  return compact({ seed, resolution, ratio, duration, framespersecond: frameRate, generate_audio: audio })
}

/**
 * A task in the shape of Volcengine Ark: the fields of an Ark-compatible provider, else the known facts.
 * @see https://www.volcengine.com/docs/82379/1521309
 */
export function taskResponse(linking: Linking, task: Task): Json {
  const kept = taskStateOf(task)
  const { native = {}, output = {}, progress } = videoResultOf(kept) ?? { assets: {} }
  const isOver = task.status === 'succeeded'
  // The first may be the gateway's, the second is an id at the upstream, and the others are written below.
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

/** A task in a list. Some clients read the error from `failure_reason` there. */
export function listedTaskResponse(linking: Linking, task: Task): Json {
  const answer = taskResponse(linking, task)
  return answer['error'] === undefined ? answer : { ...answer, failure_reason: answer['error'] }
}
