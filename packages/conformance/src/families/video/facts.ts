import type { Json } from '@headgate/core/provider'
import type { Usage } from '@headgate/gateway'
import type { Received } from '../../upstream.ts'

/**
 * One answer of the vendor: a body with status 200, or a status with a body (JSON, or text) and headers:
 * `[429, { message: 'Slow down' }, { 'retry-after': '30' }]`. Wherever `{origin}` stands in it, the kit puts the
 * scheme, host and port of its upstream: for URLs by which the vendor names places of its own.
 */
export type VendorAnswer =
  | Json
  | readonly [status: number, body?: object | string, headers?: Readonly<Record<string, string>>]

/** Request for a video as the vendor understood it, under the names of `VideoRequest`. Absent = not in the request. */
export interface AskedVideo {
  readonly text?: string | undefined
  /** Media are a URL, a `data:` URL, or bare base64. */
  readonly firstFrame?: string | undefined
  readonly lastFrame?: string | undefined
  /** References. */
  readonly images?: readonly string[] | undefined
  readonly videos?: readonly string[] | undefined
  readonly audios?: readonly string[] | undefined
  /** Seconds; -1 = the model chooses. */
  readonly duration?: number | undefined
  /** `16:9`; `adaptive` = that of the input. */
  readonly ratio?: string | undefined
  /** `480p`, `720p`, `1080p`, `4k`: of the vendor's words the one that comes closest. */
  readonly resolution?: string | undefined
  readonly seed?: number | undefined
  readonly audio?: boolean | undefined
  readonly watermark?: boolean | undefined
  readonly cameraFixed?: boolean | undefined
  readonly user?: string | undefined
  /**
   * By what the vendor knows a request that comes again, or finds its task: an idempotency key, an id of the caller's
   * own.
   */
  readonly intent?: string | undefined
}

interface VideoPlace {
  /** A model that makes videos. */
  readonly model: string
}

/** For a provider that runs in this process: by what texts its tasks come to each end. */
export interface OwnVideoFacts extends VideoPlace {
  readonly create?: undefined
  readonly texts: {
    readonly succeeded: string
    readonly failed?: string
    /** Refused by moderation, in the task. */
    readonly refused?: string
    readonly expired?: string
  }
}

/** An upstream of videos: the vendor, written from its documentation and not from the adapter. */
export interface RemoteVideoFacts extends VideoPlace {
  /** Further models, of whose abilities all is checked as well: `read` knows them. */
  readonly models?: readonly string[]
  /**
   * Where a task is created by POST: without the host; `{model}` stands for the model. More than one where it depends
   * on what is asked.
   */
  readonly create: string | readonly string[]
  /** Lower-case names of headers that it understands beside those of the upstream: `idempotency-key`. */
  readonly headers?: readonly string[]
  /** What the vendor understands of a request for a task; throws what it would refuse. */
  read(request: Received): AskedVideo
  /** The task's id at the vendor, as it stands in {@link created}: no caller may ever see it. */
  readonly id: string
  /** The answer to a request for a task. */
  readonly created: VendorAnswer
  /**
   * What it answers to who asks for a task, by the task's state: one answer for each of {@link get}, or fewer where the
   * first ones tell already. Absent = the vendor has no such state.
   */
  readonly states: {
    readonly queued?: readonly VendorAnswer[]
    readonly running: readonly VendorAnswer[]
    readonly succeeded: readonly VendorAnswer[]
    readonly failed: readonly VendorAnswer[]
    /** By moderation, of what was given or of what was made. */
    readonly refused: readonly VendorAnswer[]
    readonly cancelled?: readonly VendorAnswer[]
    readonly expired?: readonly VendorAnswer[]
  }
  /**
   * Methods and paths by which a task is asked for, in their order: `GET /v1/tasks/{id}`; `{model}` stands for the
   * model.
   */
  readonly get: readonly [string, ...string[]]
  /**
   * Ending a task that has not begun, `DELETE /v1/tasks/{id}`, and the answers: it is ended, and it is too late. Absent
   * = the vendor can not.
   */
  readonly cancel?: { readonly path: string; readonly done: VendorAnswer; readonly late: VendorAnswer }
  /**
   * Looking for a task whose creation was not answered, `GET /v1/tasks`. `intent` is that of {@link AskedVideo}. Absent
   * = it can not be found.
   */
  readonly find?: {
    readonly path: string
    readonly found: (intent: string) => VendorAnswer
    readonly none: VendorAnswer
  }
  /**
   * The URL of the video of `states.succeeded`; a path without the host, `/v1/files/1/content`, where the vendor serves
   * it to who has its credential.
   */
  readonly video: string | 'bytes'
  /** What the vendor says that the succeeded task is charged by; absent = it says nothing. */
  readonly usage?: Usage
  /** Refusals of a request for a task. */
  readonly refusals?: {
    readonly moderation?: VendorAnswer
    readonly limit?: VendorAnswer
    readonly quota?: VendorAnswer
  }
  /** The body of an error with a status. Default: `{ message }`. */
  error?(status: number, message: string): object
}

export type VideoFacts = OwnVideoFacts | RemoteVideoFacts
