import { compact, isObject, type Json } from '@headgate/core/canonical'
import type { ProviderInstance, VideoAsset, VideoOutput, VideoSupport, VideoTask } from '@headgate/core/contract'
import { isNext, TASK_STATUSES, type TaskRef } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import type { TaskCall } from '../../serve/tasks/ask.ts'
import type { Looked, TaskSupport } from '../../serve/tasks/kind.ts'

/** What a task has made, by the field of the Ark wire that names it. */
export const PARTS = { video: 'video_url', lastFrame: 'last_frame_url', cover: 'cover_url', file: 'file_url' } as const
export type Part = keyof typeof PARTS
export const PART_NAMES = Object.keys(PARTS) as readonly Part[]

/** A file as it is kept: bytes are asked for again. */
export type KeptAsset = Omit<VideoAsset, 'bytes'>

/** What is kept of the upstream's newest answer. */
export interface Got {
  readonly assets: Readonly<Partial<Record<Part, KeptAsset>>>
  readonly output?: VideoOutput
  readonly native?: Json
  readonly progress?: number
}

export function gotOf(kept: { readonly got?: Json }): Got | undefined {
  return kept.got as unknown as Got | undefined
}

/** Milliseconds between two looks, and looks in a second, where a provider says nothing. */
const EVERY = 5_000
const PER_SECOND = 10
/** Most characters of what an upstream says of a failure. */
const LONGEST_MESSAGE = 2_000

export function assetsOf(task: VideoTask): Partial<Record<Part, VideoAsset>> {
  return compact({ video: task.video, lastFrame: task.lastFrame, cover: task.cover, file: task.file })
}

function keptAsset({ bytes: _, ...asset }: VideoAsset): KeptAsset {
  return asset
}

/** @throws HeadgateError if an adapter returned anything else than a task. */
function lookedOf(task: VideoTask): Looked {
  if (!TASK_STATUSES.includes(task?.status)) throw new HeadgateError('upstream', 'The adapter returned no task.')
  const { error, usage, retryAfterMs } = task
  const isEmpty = task.status === 'succeeded' && Object.keys(assetsOf(task)).length === 0
  const assets = Object.fromEntries(Object.entries(assetsOf(task)).map(([part, asset]) => [part, keptAsset(asset)]))
  const got: Got = { assets, ...compact({ output: task.output, native: task.native, progress: task.progress }) }
  return {
    // What has made nothing has not succeeded yet.
    status: isEmpty ? 'running' : task.status,
    got: got as unknown as Json,
    ...compact({
      usage,
      retryAfterMs,
      failure: error && { kind: error.kind, message: error.message.slice(0, LONGEST_MESSAGE) },
    }),
  }
}

function looking({ get }: VideoSupport): TaskCall<TaskRef, Looked> {
  if ('run' in get) return { run: async (ref, signal, call) => lookedOf(await get.run(ref, signal, call)) }
  return {
    request: (ref, call) => get.request(ref, call),
    response(answer, ref, earlier) {
      const read = get.response(answer, ref, earlier)
      return isNext(read) ? read : lookedOf(read)
    },
    ...(get.reads && { reads: get.reads }),
  }
}

const supports = new WeakMap<VideoSupport, TaskSupport>()

/** What the pipeline of tasks does with a provider of videos. */
export function supportOf({ video }: Pick<ProviderInstance, 'video'>): TaskSupport | undefined {
  if (!video) return undefined
  const known = supports.get(video)
  if (known) return known
  const { cancel, find, pace } = video
  const support: TaskSupport = {
    get: looking(video),
    everyMs: pace?.everyMs ?? EVERY,
    perSecond: pace?.perSecond ?? PER_SECOND,
    ...(cancel && { cancel }),
    ...(find && { find }),
  }
  supports.set(video, support)
  return support
}

/** A field of a task in the Ark wire that is an object. */
export function objectIn(json: Json, key: string): Json {
  const value = json[key]
  return isObject(value) ? value : {}
}
