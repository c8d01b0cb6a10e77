import { compact, isObject, type Json } from '@headgate/core/canonical'
import type { ProviderInstance, VideoAsset, VideoOutput, VideoSupport, VideoTask } from '@headgate/core/contract'
import { isNext, TASK_STATUSES, type TaskRef } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import type { TaskCall } from '../../serve/tasks/call.ts'
import type { PollResult, TaskSupport } from '../../serve/tasks/kind.ts'

/** Fields of the Ark wire for the files of a task. */
export const ASSET_FIELDS = {
  video: 'video_url',
  lastFrame: 'last_frame_url',
  cover: 'cover_url',
  file: 'file_url',
} as const
export type AssetName = keyof typeof ASSET_FIELDS
export const ASSET_NAMES = Object.keys(ASSET_FIELDS) as readonly AssetName[]

/** A stored file without its bytes, which are fetched again when needed. */
export type StoredAsset = Omit<VideoAsset, 'bytes'>

/** Stored result of the newest upstream response. */
export interface VideoResult {
  readonly assets: Readonly<Partial<Record<AssetName, StoredAsset>>>
  readonly output?: VideoOutput
  readonly native?: Json
  readonly progress?: number
}

export function videoResultOf(kept: { readonly got?: Json }): VideoResult | undefined {
  return kept.got as unknown as VideoResult | undefined
}

/** Default poll interval in milliseconds, and default polls per second. */
const EVERY = 5_000
const PER_SECOND = 10
/** Maximum characters of an upstream's failure message. */
const LONGEST_MESSAGE = 2_000

export function assetsOf(task: VideoTask): Partial<Record<AssetName, VideoAsset>> {
  return compact({ video: task.video, lastFrame: task.lastFrame, cover: task.cover, file: task.file })
}

function withoutBytes({ bytes: _, ...asset }: VideoAsset): StoredAsset {
  return asset
}

/** @throws HeadgateError if the adapter returned anything but a task. */
function pollResultOf(task: VideoTask): PollResult {
  if (!TASK_STATUSES.includes(task?.status)) throw new HeadgateError('upstream', 'The adapter did not return a task.')
  const { error, usage, retryAfterMs } = task
  const isEmpty = task.status === 'succeeded' && Object.keys(assetsOf(task)).length === 0
  const assets = Object.fromEntries(Object.entries(assetsOf(task)).map(([part, asset]) => [part, withoutBytes(asset)]))
  const got: VideoResult = { assets, ...compact({ output: task.output, native: task.native, progress: task.progress }) }
  return {
    // A succeeded task without files has not finished yet.
    status: isEmpty ? 'running' : task.status,
    got: got as unknown as Json,
    ...compact({
      usage,
      retryAfterMs,
      failure: error && { kind: error.kind, message: error.message.slice(0, LONGEST_MESSAGE) },
    }),
  }
}

function pollCall({ get }: VideoSupport): TaskCall<TaskRef, PollResult> {
  if ('run' in get) return { run: async (ref, signal, call) => pollResultOf(await get.run(ref, signal, call)) }
  return {
    request: (ref, call) => get.request(ref, call),
    response(answer, ref, earlier) {
      const read = get.response(answer, ref, earlier)
      return isNext(read) ? read : pollResultOf(read)
    },
    ...(get.reads && { reads: get.reads }),
  }
}

const supports = new WeakMap<VideoSupport, TaskSupport>()

/** Task operations of a provider's video support, for the task pipeline. */
export function supportOf({ video }: Pick<ProviderInstance, 'video'>): TaskSupport | undefined {
  if (!video) return undefined
  const known = supports.get(video)
  if (known) return known
  const { cancel, find, pollRate } = video
  const support: TaskSupport = {
    get: pollCall(video),
    everyMs: pollRate?.everyMs ?? EVERY,
    perSecond: pollRate?.perSecond ?? PER_SECOND,
    ...(cancel && { cancel }),
    ...(find && { find }),
  }
  supports.set(video, support)
  return support
}

/** An object field of a task in the Ark wire; empty if absent. */
export function objectIn(json: Json, key: string): Json {
  const value = json[key]
  return isObject(value) ? value : {}
}
