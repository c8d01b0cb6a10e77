import type { Content } from './http.ts'

/** File of a caller, read when it is sent. */
export interface MediaFile {
  /** Name with an extension. */
  readonly name: string
  /** Media type: of the caller, or by its content if the caller named none. */
  readonly type: string
  readonly content: Content
}
