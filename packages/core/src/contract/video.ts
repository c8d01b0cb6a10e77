import type { Json } from '../canonical/json.ts'
import type { Exchange, InProcess } from './exchange.ts'

/** What names a task at the upstream; `state` is kept with the task and handed back. */
export interface VideoRef {
  readonly id: string
  readonly state?: Json
}
export interface VideoRequest {
  readonly model: string
  readonly text: string
  readonly images: readonly { readonly role: string; readonly url?: string; readonly base64?: string }[]
  /** Seconds. */
  readonly duration?: number
  /** `16:9`. */
  readonly ratio?: string
  readonly seed?: number
}
export interface VideoTask {
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired'
  readonly url?: string
  /** The URL answers only with the provider's credential. */
  readonly needsCredential?: boolean
  readonly error?: { readonly code: string; readonly message: string }
  readonly usage?: Json
}

type Call<In, Out> = Exchange<In, Out> | InProcess<In, Promise<Out>>

export interface VideoSupport {
  /** What of a request the provider can not do: paths and reasons; empty = everything. */
  accepts(request: VideoRequest): string[]
  readonly create: Call<VideoRequest, VideoRef>
  readonly get: Call<VideoRef, VideoTask>
  readonly cancel?: Call<VideoRef, 'cancelled' | 'not-cancellable'>
}
