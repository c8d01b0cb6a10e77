import {
  type HttpRequest,
  type HttpResponse,
  type ImagesRequest,
  type ImagesResponse,
  isNext,
} from '@headgate/core/provider'
import type { ProviderInstance } from '@headgate/gateway'
import { testCall } from '../../test-call.ts'

/** Response of a vendor: a JSON body, bytes with a type, or a body with a status. */
export type ImagesReply =
  | { readonly json: unknown; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> }

/** Request of an adapter of images, as a vendor sees it. */
export interface ImagesSent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON body as sent, without undefined fields. */
  readonly json: unknown
  /** Fields of a form; files by their names. */
  readonly form: readonly (readonly [name: string, value: string])[] | undefined
  /** Milliseconds before the request. */
  readonly afterMs: number
}

/** Requests of an adapter, and what it read from the responses. */
export interface ImagesRun {
  readonly sent: readonly ImagesSent[]
  readonly result: ImagesResponse | undefined
  /** Request that cancels the work after these responses. */
  readonly cancel: ImagesSent | undefined
  readonly losses: readonly string[]
}

/**
 * Runs the images exchange of a provider with the responses of a vendor, without a gateway. `result` is undefined if
 * the adapter asks for more responses than are given.
 * @throws HeadgateError if `readError` of the provider reads a failure, or if the adapter rejects a response.
 */
export function imagesExchange(
  { images, readError, name }: ProviderInstance,
  given: Partial<ImagesRequest> & Pick<ImagesRequest, 'model'>,
  answers: readonly ImagesReply[] = [],
): ImagesRun {
  if (!images) throw new TypeError(`The provider ${name} has no images.`)
  const input: ImagesRequest = { prompt: 'a cat', n: 1, images: [], more: {}, ...given }
  const call = testCall({ model: input.model })
  const sent = [sentOf(images.request(input, call))]
  const earlier: HttpResponse[] = []
  let result: ImagesResponse | undefined
  for (const answer of answers.map(responseOf)) {
    const failure = readError?.(answer)
    if (failure) throw Object.assign(new Error(failure.message), failure)
    const read = images.response(answer, input, earlier)
    earlier.push(answer)
    if (isNext(read)) sent.push(sentOf(read.request, read.afterMs))
    else result = read
  }
  const cancel = images.cancel?.(earlier)
  return { sent, result, cancel: cancel && sentOf(cancel), losses: call.losses.map(({ path }) => path) }
}

function responseOf(answer: ImagesReply): HttpResponse {
  if ('bytes' in answer) return { status: 200, headers: answer.headers, body: '', bytes: answer.bytes }
  const { json, status = 200, headers = {} } = answer
  return { status, headers, body: json, bytes: new Uint8Array() }
}

function sentOf({ method, url, headers = {}, body }: HttpRequest, afterMs = 0): ImagesSent {
  return {
    method,
    url,
    headers,
    json: body && 'json' in body ? JSON.parse(JSON.stringify(body.json)) : undefined,
    form:
      body && 'form' in body
        ? body.form.map(({ name, value, filename }) => [name, filename ?? String(value)] as const)
        : undefined,
    afterMs,
  }
}
