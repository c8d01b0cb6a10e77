import type { Json } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'
import type { PerModel } from './chat.ts'
import type { Exchange, InProcess } from './exchange.ts'
import type { TaskRef, TaskStatus } from './task.ts'

/** An image, a video or a sound that a request brings along. */
export interface VideoMedia {
  /** `https://…`, or an address of the vendor's own: `asset://…`. */
  readonly url?: string
  readonly base64?: string
  /** Media type, where it is known: always beside `base64`. */
  readonly type?: string
}

/** What a caller wants made, as far as the model can do it: what it can not is refused or declared before. */
export interface VideoRequest {
  /** The provider's own name of the model. */
  readonly model: string
  /** One for each creation, a UUID: for an upstream's idempotency key, or a field by which its task is found again. */
  readonly intent: string
  /** All texts, joined by line ends, without switches of the kind `--ratio 16:9`. */
  readonly text: string
  readonly firstFrame?: VideoMedia
  readonly lastFrame?: VideoMedia
  /** References; never together with frames. */
  readonly images: readonly VideoMedia[]
  readonly videos: readonly VideoMedia[]
  readonly audios: readonly VideoMedia[]
  /** Seconds; -1 = the model chooses. Absent = the model's default. */
  readonly duration?: number
  /** `16:9`; `adaptive` = that of the input. */
  readonly ratio?: string
  /** `480p`, `720p`, `1080p`, `4k`. */
  readonly resolution?: string
  /** From 0 to 2^32 - 1. */
  readonly seed?: number
  /** Whether sound is made. */
  readonly audio?: boolean
  readonly watermark?: boolean
  readonly cameraFixed?: boolean
  /** The end user on whose behalf the caller asks, as an opaque text. */
  readonly user?: string
  /** Seconds after which the task ends as `expired`. */
  readonly expiresAfter: number
  /** The caller's body in the wire of `native`, as it may go up. */
  readonly body: Json
}

/** What a model can do. Each is tri-state: absent = not known, so that what is asked goes up as it is. */
export interface VideoAbilities {
  /** Whether it makes a video of text alone. */
  readonly text?: boolean
  /** Which frames may be given: only the first; the first and with it the last; or any of the two. */
  readonly frames?: 'none' | 'first' | 'first-or-last' | 'first-and-last'
  /** Most references of each kind; 0 = none. */
  readonly images?: number
  readonly videos?: number
  readonly audios?: number
  /** How images may be given: those of the other kind are fetched, or refused. Default: both. */
  readonly takes?: 'url' | 'base64'
  /** Seconds: all that there are, or a range of whole ones. */
  readonly durations?: readonly number[] | { readonly min: number; readonly max: number }
  /** Whether the model may choose the duration. */
  readonly ownDuration?: boolean
  readonly ratios?: readonly string[]
  /** In the words of {@link VideoRequest.resolution}. */
  readonly resolutions?: readonly string[]
  readonly seed?: boolean
  /** Whether sound is made: as asked, always or never. */
  readonly audio?: 'asked' | 'always' | 'never'
  readonly watermark?: boolean
  readonly cameraFixed?: boolean
  /** Whether the end user can be named. */
  readonly user?: boolean
}

/** One file that a task has made. */
export interface VideoAsset {
  /** Absent where the vendor gives the bytes in its answer. */
  readonly url?: string
  /** The URL answers only with the provider's credential. */
  readonly needsCredential?: boolean
  /**
   * Until when the URL answers, Unix time in milliseconds; absent = for a day at least. Asking for the task again gives
   * another one.
   */
  readonly expiresAt?: number
  readonly bytes?: Uint8Array
  /** Media type; default `video/mp4` of the video, `image/png` of a frame. */
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
  /** Whether it has sound. */
  readonly audio?: boolean | undefined
}

/** A task as the upstream has it now. */
export interface VideoTask {
  /**
   * A state that is not known is `running`: the task's own limit ends it. `succeeded` only with a video that can be
   * fetched.
   */
  readonly status: TaskStatus
  readonly video?: VideoAsset
  readonly lastFrame?: VideoAsset
  readonly cover?: VideoAsset
  /** What else was made: a 3D model. */
  readonly file?: VideoAsset
  readonly error?: VideoFailure
  /**
   * What the vendor charges, also of a task that failed: tokens as `output`, or `units` such as `seconds` and `videos`.
   * Absent = nothing is said.
   */
  readonly usage?: Usage
  readonly output?: VideoOutput
  /** The whole task in the format of {@link VideoSupport.native}; its error code reaches the caller unchanged. */
  readonly native?: Json
  /** From 0 to 1. */
  readonly progress?: number
  /** How long not to ask again, in milliseconds. */
  readonly retryAfterMs?: number
}

/** A creation of which nobody knows whether the upstream has it. */
export interface VideoIntent {
  readonly intent: string
  readonly model: string
  /** Unix time in milliseconds. */
  readonly createdAt: number
  /** What {@link VideoSupport.trace} kept. */
  readonly trace?: Json
}

type Call<In, Out> = Exchange<In, Out> | InProcess<In, Promise<Out>>

/** Videos, which take minutes: made by tasks. */
export interface VideoSupport {
  /**
   * The caller's wire is the vendor's own: `request.body` goes up with its model named, and what `native` of a task has
   * comes down, with fields that Headgate does not know.
   */
  readonly native?: 'ark'
  /** What its models can do. */
  readonly can?: PerModel<VideoAbilities>
  /**
   * What else of a request a model can not do, a sentence each: whatever {@link can} does not say. Default: nothing.
   */
  accepts?(request: VideoRequest): readonly string[]
  /** Creating twice with one `intent` makes one task. Default false. */
  readonly idempotent?: boolean
  /** Asks for a new task. */
  readonly create: Call<VideoRequest, TaskRef>
  /** Asks how it is. Where nobody knows it any more the upstream's error says so: `not-found`. */
  readonly get: Call<TaskRef, VideoTask>
  /**
   * Ends a task: one that has not begun where the caller deletes it, and whichever takes longer than it may. Absent =
   * the vendor can not.
   */
  readonly cancel?: Call<TaskRef, 'canceled' | 'not-cancelable'>
  /** What of a request {@link find} needs, without what the caller wrote. */
  trace?(request: VideoRequest): Json
  /**
   * Looks for a task whose creation was not answered; undefined = the upstream has none. Only what is surely that one.
   */
  readonly find?: Call<VideoIntent, TaskRef | undefined>
  /** How often its tasks are asked for. */
  readonly pace?: {
    /** Milliseconds between two looks at one task, at least; default 5,000. */
    readonly everyMs?: number
    /** Most looks in a second, of all tasks and processes; default 10. */
    readonly perSecond?: number
  }
}
