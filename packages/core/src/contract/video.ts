import type { Json } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'
import type { PerModel } from './chat.ts'
import type { Exchange, InProcess } from './exchange.ts'
import type { TaskRef, TaskStatus } from './task.ts'

/** Image, video or sound of a request. */
export interface VideoMedia {
  /** `https://…`, or a URL with the vendor's scheme: `asset://…`. */
  readonly url?: string
  readonly base64?: string
  /** Media type, if known. Always set with `base64`. */
  readonly type?: string
}

/** Request for a video. Fields that the model does not support were already rejected or declared as lost. */
export interface VideoRequest {
  /** The provider's id of the model. */
  readonly model: string
  /** UUID of the creation, for an upstream's idempotency key or for a field that identifies the task later. */
  readonly intent: string
  /** All text inputs, joined by line breaks, without switches like `--ratio 16:9`. */
  readonly text: string
  readonly firstFrame?: VideoMedia
  readonly lastFrame?: VideoMedia
  /** References. Never together with frames. */
  readonly images: readonly VideoMedia[]
  readonly videos: readonly VideoMedia[]
  readonly audios: readonly VideoMedia[]
  /** Seconds; -1 lets the model choose. Absent: the model's default. */
  readonly duration?: number
  /** `16:9`, or `adaptive` for the ratio of the input. */
  readonly ratio?: string
  /** `480p`, `720p`, `1080p`, `4k`. */
  readonly resolution?: string
  /** Integer from 0 to 2^32 - 1. */
  readonly seed?: number
  /** True to generate sound. */
  readonly audio?: boolean
  readonly watermark?: boolean
  readonly cameraFixed?: boolean
  /** End user of the caller, as an opaque string. */
  readonly user?: string
  /** Seconds until the task ends as `expired`. */
  readonly expiresAfter: number
  /** The caller's body in the wire of `native`, ready to forward. */
  readonly body: Json
}

/** Capabilities of a model. Absent: unknown, so values are passed on unchanged. */
export interface VideoCapabilities {
  /** True if text is sufficient as input. */
  readonly text?: boolean
  /** Accepted frames: only the first; the first, optionally with the last; or either. */
  readonly frames?: 'none' | 'first' | 'first-or-last' | 'first-and-last'
  /** Maximum references of each kind; 0: not supported. */
  readonly images?: number
  readonly videos?: number
  readonly audios?: number
  /** Accepted encoding of images. Images in the other encoding are fetched or rejected. Default: both. */
  readonly takes?: 'url' | 'base64'
  /** Seconds: all supported durations, or a range of whole seconds. */
  readonly durations?: readonly number[] | { readonly min: number; readonly max: number }
  /** True if the model can choose the duration. */
  readonly ownDuration?: boolean
  readonly ratios?: readonly string[]
  /** Values of {@link VideoRequest.resolution}. */
  readonly resolutions?: readonly string[]
  readonly seed?: boolean
  /** Sound: on request, always or never. */
  readonly audio?: 'asked' | 'always' | 'never'
  readonly watermark?: boolean
  readonly cameraFixed?: boolean
  /** True if requests can name the end user. */
  readonly user?: boolean
}

/** File of a finished task. */
export interface VideoAsset {
  /** Absent if the response contains the bytes. */
  readonly url?: string
  /** True if the URL requires the provider's credential. */
  readonly needsCredential?: boolean
  /**
   * Expiration of the URL, Unix time in milliseconds. Absent: valid for at least a day. Getting the task again returns
   * a new URL.
   */
  readonly expiresAt?: number
  readonly bytes?: Uint8Array
  /** Media type. Default: `video/mp4` for the video, `image/png` for a frame. */
  readonly type?: string
}

/** Input or output that a provider's content policy refuses. */
export type VideoRefusal = 'refused-text' | 'refused-media' | 'refused-output'

/** Reason why a task failed. Callers get the code of their format for it. */
export interface VideoFailure {
  /**
   * `refused-…`: the content policy refuses the text, an image, video or sound of the request, or the generated video.
   * `invalid-request`: a field is invalid. `forbidden`: the gateway's account has no access.
   * `over-quota`: the account's credit, quota or rate limit is used up.
   * `overloaded`: the provider has no capacity now.
   * `failed`: any other fault of the provider.
   */
  readonly kind: VideoRefusal | 'invalid-request' | 'forbidden' | 'over-quota' | 'overloaded' | 'failed'
  /** The vendor's message. */
  readonly message: string
}

/** Properties of a generated video. Absent = not reported. */
export interface VideoOutput {
  /** Seconds. */
  readonly duration?: number | undefined
  /** As in {@link VideoRequest.ratio}. */
  readonly ratio?: string | undefined
  /** As in {@link VideoRequest.resolution}. */
  readonly resolution?: string | undefined
  readonly seed?: number | undefined
  /** Frames per second. */
  readonly frameRate?: number | undefined
  /** True if it has sound. */
  readonly audio?: boolean | undefined
}

/** Current state of a task at the upstream. */
export interface VideoTask {
  /**
   * Unknown states are `running`; the task's time limit ends them. `succeeded` requires a video that can be fetched.
   */
  readonly status: TaskStatus
  readonly video?: VideoAsset
  readonly lastFrame?: VideoAsset
  readonly cover?: VideoAsset
  /** Another result, such as a 3D model. */
  readonly file?: VideoAsset
  readonly error?: VideoFailure
  /**
   * Usage that the vendor charges, also for failed tasks: tokens as `output`, or `units` such as `seconds` and
   * `videos`. Absent: not reported.
   */
  readonly usage?: Usage
  readonly output?: VideoOutput
  /** The whole task in the format of {@link VideoSupport.native}; its error code reaches the caller unchanged. */
  readonly native?: Json
  /** Fraction from 0 to 1. */
  readonly progress?: number
  /** Minimum milliseconds until the next poll. */
  readonly retryAfterMs?: number
}

/** Creation whose outcome at the upstream is unknown. */
export interface VideoIntent {
  readonly intent: string
  readonly model: string
  /** Unix time in milliseconds. */
  readonly createdAt: number
  /** Result of {@link VideoSupport.trace}. */
  readonly trace?: Json
}

type VideoOperation<In, Out> = Exchange<In, Out> | InProcess<In, Promise<Out>>

/** Video generation as asynchronous tasks. */
export interface VideoSupport {
  /**
   * The caller's wire, if it is also the vendor's. `request.body` is sent with the provider's model id, and `native` of
   * a task is returned, including fields that Headgate does not know.
   */
  readonly native?: 'ark'
  /** Capabilities of its models. */
  readonly capabilities?: PerModel<VideoCapabilities>
  /**
   * Further reasons why a model cannot serve a request, one sentence each, beyond {@link capabilities}. Default: none.
   */
  accepts?(request: VideoRequest): readonly string[]
  /** True if two creations with one `intent` create one task. Default false. */
  readonly idempotent?: boolean
  /** Creates a task. */
  readonly create: VideoOperation<VideoRequest, TaskRef>
  /** Gets the state of a task. For an unknown task, the upstream's error has the kind `not-found`. */
  readonly get: VideoOperation<TaskRef, VideoTask>
  /**
   * Cancels a task: a queued task after its deletion, or a task after its time limit. Absent: the vendor does not
   * support it.
   */
  readonly cancel?: VideoOperation<TaskRef, 'canceled' | 'not-cancelable'>
  /** Data that {@link find} needs about a request, without the caller's content. */
  trace?(request: VideoRequest): Json
  /**
   * Finds a task whose creation got no response. It returns only a certain match; undefined if the upstream has none.
   */
  readonly find?: VideoOperation<VideoIntent, TaskRef | undefined>
  /** Polling rate. */
  readonly pollRate?: {
    /** Minimum milliseconds between two polls of one task; default 5,000. */
    readonly everyMs?: number
    /** Maximum polls per second over all tasks and processes; default 10. */
    readonly perSecond?: number
  }
}
