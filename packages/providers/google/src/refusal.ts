import { type HttpResponse, object, refusalIn, text, type UpstreamError } from '@headgate/core/provider'

/**
 * Reads rejections by the vendor's filters: only their message distinguishes them from other errors with status 400.
 */
export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const message = text(object(object(body)?.['error'])?.['message'])
  return status === 400 && message && refusalIn(message) ? { kind: 'content-policy', message } : undefined
}
