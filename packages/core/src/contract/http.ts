/** Bytes that are read when they are sent, such as an uploaded file. They can be read several times. */
export interface Content {
  /** Number of bytes. */
  readonly size: number
  read(): AsyncIterable<Uint8Array>
}

/** Body of a request. Core sets the content type of `json` and `form`. */
export type Body =
  | { readonly json: unknown }
  /** Bytes with a content type. Credentials that sign the body need its bytes, not a {@link Content}. */
  | { readonly bytes: Uint8Array | string | Content; readonly type: string }
  /** Multipart form, for files. */
  | { readonly form: readonly FormPart[] }

/** Part of a multipart form. */
export interface FormPart {
  readonly name: string
  readonly value: Uint8Array | string | Content
  /** Name of a file. Its presence makes the part a file. */
  readonly filename?: string
  /** Content type of the part. Default: none, or `application/octet-stream` for a file. */
  readonly type?: string
}

/**
 * Request to an upstream. `url` is a path that is appended to the provider's `baseUrl`, or an absolute URL on the host
 * of `baseUrl` or on one of the provider's `hosts`, since the credential goes with it.
 */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
}

/** Whole response. `body` is the parsed JSON, or a string if it is not JSON. Header names are lower case. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly bytes: Uint8Array
}
