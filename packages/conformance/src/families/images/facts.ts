import type { ImageSize, ImagesAbilities } from '@headgate/core/provider'
import type { Received, UpstreamReply } from '../../upstream.ts'

/** Image of a request as the vendor got it: its bytes, or the URL that it would fetch. */
export type ReceivedImage = { readonly bytes: Uint8Array } | { readonly url: string }

/** Meaning of a request for images. */
export interface ImagesMeaning {
  readonly model: string
  readonly prompt: string
  /** Default 1. */
  readonly n?: number | undefined
  readonly size?: ImageSize | undefined
  readonly ratio?: string | undefined
  readonly resolution?: string | undefined
  readonly quality?: string | undefined
  readonly format?: string | undefined
  readonly compression?: number | undefined
  readonly background?: string | undefined
  readonly seed?: number | undefined
  readonly negative?: string | undefined
  readonly user?: string | undefined
  /** Images to edit, in their order. */
  readonly images: readonly ReceivedImage[]
  readonly mask?: ReceivedImage | undefined
}

/** Images that the vendor answers with. */
export interface ImagesAnswer {
  /** PNG images. */
  readonly images: readonly Uint8Array[]
  readonly request: ImagesMeaning
  readonly tokens: { readonly input: number; readonly output: number }
}

/** Upstream with images. The defaults are OpenAI's shape in JSON, and forms for edits. */
export interface ImagesFacts {
  /** Model for images. */
  readonly model: string
  /** Paths of requests, without the host; `{model}` is a placeholder for the model. */
  readonly paths: readonly string[]
  /**
   * Capabilities that the vendor documents, in the shape of the contract. Write them from the documentation, not from
   * the adapter. `takes`, `more` and the tokens are ignored.
   */
  readonly can: ImagesAbilities
  /** Lowercase names of headers that only requests for images have. */
  readonly headers?: readonly string[] | undefined
  /** Unit of the vendor's usage. Default: it reports none. */
  readonly counts?: 'tokens' | undefined
  /**
   * The vendor's interpretation of a request. Write it from the vendor's documentation, not from the adapter.
   *
   * @throws for requests that the vendor would reject
   */
  read?(request: Received): ImagesMeaning
  /** The vendor's response to `request`. */
  write?(answer: ImagesAnswer, request: Received): object | UpstreamReply
  /** Response with status 200 to a prompt that the vendor refuses to draw. Absent: refusals have an error status. */
  blocked?(request: Received): object
  /** Error body for a status. Default: `{ error: { message } }`. */
  error?(status: number, message: string): object
}
