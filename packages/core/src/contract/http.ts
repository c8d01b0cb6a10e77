/** What a request carries. Core writes the content type of `json` and `form`. */
export type Body =
  | { readonly json: unknown }
  /** Bytes as they are, under a content type. */
  | { readonly bytes: Uint8Array | string; readonly type: string }
  /** A multipart form, for files. */
  | { readonly form: readonly FormPart[] }

export interface FormPart {
  readonly name: string
  readonly value: Uint8Array | string
  /** Makes it a file. */
  readonly filename?: string
  /** Content type of the part; default none, of a file `application/octet-stream`. */
  readonly type?: string
}

/**
 * A request to the upstream. `url` is a path that is appended to the provider's `baseUrl`, or absolute: then its host
 * must be that of `baseUrl` or one of the provider's `hosts`, since the credential goes with it.
 */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
}

/** A whole answer. `body` is the parsed JSON, or the text when it is not JSON; header names are lower case. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly bytes: Uint8Array
}
