import type { Json } from '@headgate/core/provider'
import type { Usage } from '@headgate/gateway'
import type { Received } from '../../upstream.ts'

/**
 * Response of the vendor: a body with status 200, or a status with a body (JSON or string) and headers: `[429, {
 * message: 'Slow down' }, { 'retry-after': '30' }]`. The kit replaces `{origin}` by the scheme, host and port of its
 * upstream, for URLs on the vendor's host.
 */
export type VideoAnswer =
  | Json
  | readonly [status: number, body?: object | string, headers?: Readonly<Record<string, string>>]

/** Video request as the vendor reads it, with the names of `VideoRequest`. Absent members are not in the request. */
export interface VideoMeaning {
  readonly text?: string | undefined
  /** Media as a URL, a `data:` URL, or bare base64. */
  readonly firstFrame?: string | undefined
  readonly lastFrame?: string | undefined
  /** Reference images. */
  readonly images?: readonly string[] | undefined
  readonly videos?: readonly string[] | undefined
  readonly audios?: readonly string[] | undefined
  /** Seconds; -1 if the model chooses. */
  readonly duration?: number | undefined
  /** Aspect ratio, for example `16:9`; `adaptive` follows the input. */
  readonly ratio?: string | undefined
  /** Closest of `480p`, `720p`, `1080p` and `4k` to the vendor's value. */
  readonly resolution?: string | undefined
  readonly seed?: number | undefined
  readonly audio?: boolean | undefined
  readonly watermark?: boolean | undefined
  readonly cameraFixed?: boolean | undefined
  readonly user?: string | undefined
  /** Identifies a repeated request, or finds its task: an idempotency key, or an id set by the caller. */
  readonly intent?: string | undefined
}

interface VideoPlace {
  /** Video model. */
  readonly model: string
}

/** Facts of a provider that runs in-process: the prompts that lead to each end of a task. */
export interface InProcessVideoFacts extends VideoPlace {
  readonly create?: undefined
  readonly texts: {
    readonly succeeded: string
    readonly failed?: string
    /** Rejected by moderation, in the task. */
    readonly refused?: string
    readonly expired?: string
  }
}

/** Upstream with video. It simulates the vendor: write it from the vendor's documentation, not from the adapter. */
export interface RemoteVideoFacts extends VideoPlace {
  /** Further models with abilities to check. `read` must know them. */
  readonly models?: readonly string[]
  /**
   * Path of the `POST` request that creates a task, without the host; `{model}` is a placeholder for the model. Several
   * paths if it depends on the request.
   */
  readonly create: string | readonly string[]
  /** Lowercase names of headers that the vendor understands in addition to the upstream's: `idempotency-key`. */
  readonly headers?: readonly string[]
  /**
   * The vendor's interpretation of a request for a task.
   *
   * @throws for requests that the vendor would reject
   */
  read(request: Received): VideoMeaning
  /** Task id at the vendor, as in {@link created}. Callers must never see it. */
  readonly id: string
  /** Response to a request for a task. */
  readonly created: VideoAnswer
  /**
   * Responses to a request for the task, by its state: one for each of {@link get}, or fewer if the first ones are enough.
   * Absent if the vendor lacks the state.
   */
  readonly states: {
    readonly queued?: readonly VideoAnswer[]
    readonly running: readonly VideoAnswer[]
    readonly succeeded: readonly VideoAnswer[]
    readonly failed: readonly VideoAnswer[]
    /** Rejected by moderation, for its input or its output. */
    readonly refused: readonly VideoAnswer[]
    readonly cancelled?: readonly VideoAnswer[]
    readonly expired?: readonly VideoAnswer[]
  }
  /**
   * Methods and paths of the requests for a task, in order: `GET /v1/tasks/{id}`; `{model}` is a placeholder for the
   * model.
   */
  readonly get: readonly [string, ...string[]]
  /**
   * Cancellation of a queued task, `DELETE /v1/tasks/{id}`, and its responses: canceled, and too late. Absent if the
   * vendor does not support it.
   */
  readonly cancel?: { readonly path: string; readonly done: VideoAnswer; readonly late: VideoAnswer }
  /**
   * Search for a task whose creation had no response, `GET /v1/tasks`. `intent` is the `intent` of {@link VideoMeaning}.
   * Absent if tasks cannot be found.
   */
  readonly find?: {
    readonly path: string
    readonly found: (intent: string) => VideoAnswer
    readonly none: VideoAnswer
  }
  /**
   * URL of the video of `states.succeeded`. A path without the host, for example `/v1/files/1/content`, if the vendor
   * requires the credential.
   */
  readonly video: string | 'bytes'
  /** Usage that the vendor reports for the succeeded task. Absent if it reports none. */
  readonly usage?: Usage
  /** Rejections of a request for a task. */
  readonly refusals?: {
    readonly moderation?: VideoAnswer
    readonly limit?: VideoAnswer
    readonly quota?: VideoAnswer
  }
  /** Error body for a status. Default: `{ message }`. */
  error?(status: number, message: string): object
}

export type VideoFacts = InProcessVideoFacts | RemoteVideoFacts
