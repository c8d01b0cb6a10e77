import type { Loss } from '@headgate/core/canonical'
import type { Spending } from '../cost/spending/spending.ts'
import type { Principal } from '../ports/ledger.ts'
import type { Context } from './context.ts'

/** Image on behalf of a model. Absent settings are the image model's choice. */
export interface ImageWish {
  /** Name of the image model, as callers name it. */
  readonly model: string
  readonly prompt: string
  /** `1024x1024`, or `auto`. */
  readonly size?: string | undefined
  readonly quality?: string | undefined
  readonly background?: string | undefined
  readonly format?: string | undefined
  /** Percentage, from 0 to 100. */
  readonly compression?: number | undefined
  /** Images to edit, as `https:` or data URLs; empty = a new image. */
  readonly images: readonly string[]
  readonly mask?: string | undefined
}

/** Created image. */
export interface DrawnImage {
  /** Media type. */
  readonly type: string
  readonly base64: string
  /** `1024x1024`; undefined if the image has no readable size. */
  readonly size: string | undefined
  /** Prompt that the provider used instead. */
  readonly revised: string | undefined
}

/** Request that an image belongs to. */
export interface ImageOptions {
  readonly signal: AbortSignal
  /** Set if budgets apply to the caller. */
  readonly spending: Spending | undefined
}

/** Images of the gateway for requests of other families. Its calls are attempts of their request. */
export interface ImageMaker {
  /** The first of these models that the caller can use for images; undefined = none, or no name is given. */
  modelFor(principal: Principal, names: readonly (string | undefined)[]): string | undefined
  /**
   * Differences between a wish and what its first model makes.
   * @throws HeadgateError if no model can serve the wish
   */
  lossesOf(context: Context, wish: ImageWish): readonly Loss[]
  /** Rejects with HeadgateError if all models fail. */
  make(context: Context, wish: ImageWish, options: ImageOptions): Promise<DrawnImage>
}
