import { type HttpResponse, object, text, type UpstreamError } from '@headgate/core/provider'

const REFUSAL = /\bblocked\b|prohibited|violat|\bsafety\b.{0,40}(?:filter|polic|guideline)|usage guidelines/i

/** Whether words are those of the vendor's filters. */
export function isRefusal(words: string): boolean {
  return REFUSAL.test(words)
}

/** A refusal by the vendor's filters is a 400 like any other: its words tell. */
export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const message = text(object(object(body)?.['error'])?.['message'])
  return status === 400 && message && isRefusal(message) ? { kind: 'content-policy', message } : undefined
}
