import type { Signer } from './tasks.ts'

/** Links to files that the gateway stores for a short time in this process. */
export interface FileLinkOptions {
  /** Public base URL of the gateway, without a slash at the end. Links begin with it. Called for each link. */
  publicUrl(): string
  readonly links: Signer
}
