import type { Json } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'
import type { PerModel } from './chat.ts'
import type { Exchange } from './exchange.ts'
import type { HttpRequest } from './http.ts'
import type { MediaFile } from './media-file.ts'

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Format of an image. */
export type ImageFormat = 'png' | 'jpeg' | 'webp'

/** Image of a request: a file, or a URL (`https:` or `data:`), as the `takes` of the model says. */
export type ImageInput = MediaFile | { readonly url: string }

/**
 * Request for images. Values that the model does not support were already rejected, replaced by the nearest that it
 * supports, or declared as lost.
 */
export interface ImagesRequest {
  /** The provider's id of the model. */
  readonly model: string
  readonly prompt: string
  readonly n: number
  /** Absent: the model decides. */
  readonly size?: ImageSize | undefined
  /** Ratio such as `16:9`, for models that take a ratio instead of a size. */
  readonly ratio?: string | undefined
  /** Resolution of the model, such as `2K`, for models that take one instead of a size. */
  readonly resolution?: string | undefined
  readonly quality?: string | undefined
  readonly format?: ImageFormat | undefined
  /** Quality of the compression, 0 to 100. */
  readonly compression?: number | undefined
  readonly background?: 'transparent' | 'opaque' | 'auto' | undefined
  readonly seed?: number | undefined
  /** Content that the image should not show. */
  readonly negative?: string | undefined
  /** Images to edit or to refer to; empty = a new image. */
  readonly images: readonly ImageInput[]
  /** Mask of the first image, in the kind of `mask` of {@link ImagesAbilities}. */
  readonly mask?: ImageInput | undefined
  /** Id of the caller's end user. */
  readonly user?: string | undefined
  /** Fields of the caller that the contract does not name, as far as `more` of {@link ImagesAbilities} lists them. */
  readonly more: Json
}

/** Image of a response: base64, bytes or a URL of the provider. The gateway reads its type and size from its bytes. */
export interface MadeImage {
  /** Base64 in any alphabet, or a data URL. */
  readonly base64?: string | undefined
  readonly bytes?: Uint8Array | undefined
  /** Public URL: the gateway downloads it without the credential. */
  readonly url?: string | undefined
  /** Media type, if it is known. */
  readonly type?: string | undefined
  /** Prompt that the provider used instead. */
  readonly revised?: string | undefined
}

/** Images with what they were billed by. */
export interface ImagesResponse {
  /** The images, at least one unless `blocked` is set. An empty list is an error of the provider. */
  readonly images: readonly MadeImage[]
  /** Reason for which the provider refused to make any image. `usage` is what it bills nevertheless. */
  readonly blocked?: string | undefined
  /** The model as the upstream names it. */
  readonly model?: string | undefined
  /** Absent: the number of images is billed, `units.images`. */
  readonly usage?: Usage | undefined
}

/** Capabilities of a model. Absent = not supported, unless stated otherwise. */
export interface ImagesAbilities {
  /** Maximum images of one call. Default: 1, so that more take several calls. */
  readonly n?: number | undefined
  /** Sizes: any, a list such as `1024x1024`, or a rule. Absent: see `ratios`. */
  readonly sizes?:
    | 'any'
    | readonly string[]
    | {
        /** Divisor of width and height. */
        readonly multiple: number
        /** Fewest and most pixels. */
        readonly pixels: readonly [least: number, most: number]
        /** Greatest ratio of the longer side to the shorter. */
        readonly ratio: number
        /** Greatest length of a side. */
        readonly side?: number | undefined
      }
    | undefined
  /** Ratios of models that take a ratio. The nearest to the size that the caller asks for is chosen, and declared. */
  readonly ratios?: readonly string[] | undefined
  /** Resolutions of such models with the length of the longer side in pixels: `{ '1K': 1024, '2K': 2048 }`. */
  readonly resolutions?: Readonly<Record<string, number>> | undefined
  readonly qualities?: readonly string[] | undefined
  readonly formats?: readonly ImageFormat[] | undefined
  readonly compression?: boolean | undefined
  readonly transparent?: boolean | undefined
  readonly seed?: boolean | undefined
  readonly negative?: boolean | undefined
  readonly user?: boolean | undefined
  /** Maximum images to edit or to refer to. Default: 0. */
  readonly images?: number | undefined
  /**
   * Kind of the mask that the model takes: true for OpenAI's, whose transparent parts change; or the color of the parts
   * that change, into which the gateway converts masks with transparency. Default: no mask.
   */
  readonly mask?: boolean | 'white' | 'black' | undefined
  /** Names of further fields that the adapter reads from `more` of {@link ImagesRequest}. Others are declared as lost. */
  readonly more?: readonly string[] | undefined
  /**
   * Kind of the images to edit: files of a form; URLs with their data (`data:image/png;base64,…`); or any URLs, where
   * files become data URLs. The gateway downloads URLs for models that do not take them. Default: `files`.
   */
  readonly takes?: 'files' | 'data' | 'urls' | undefined
  /** Maximum tokens of one image to edit, for models that bill tokens. Default: 49,152. */
  readonly inputTokens?: number | undefined
  /** Tokens of one image of a response, if the provider has published a formula; undefined = unknown. */
  outputTokens?(size: ImageSize | undefined, quality: string | undefined): number | undefined
}

/** Paths with OpenAI's wire. */
export interface NativeImages {
  readonly generations: string
  /** Path of edits with forms. Absent: edits are translated. */
  readonly edits?: string | undefined
  /** True if `edits` also accepts JSON bodies. */
  readonly json?: boolean | undefined
  /** True if the paths stream partial images. */
  readonly stream?: boolean | undefined
  /** Fields of callers that these paths reject. Requests with them are translated. */
  readonly lacks?: readonly string[] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Support for images. */
export type ImagesSupport = Exchange<ImagesRequest, ImagesResponse> & {
  /** Paths where requests and responses of callers with OpenAI's wire pass unchanged, except for the model. */
  readonly native?: PerModel<NativeImages | undefined> | undefined
  readonly can: PerModel<ImagesAbilities>
  /**
   * Request that cancels the work after the caller has left, from the responses so far. Default: none.
   */
  cancel?(earlier: readonly { readonly body: unknown }[]): HttpRequest | undefined
}
