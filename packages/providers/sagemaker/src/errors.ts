import { errorReader } from '@headgate/core/codec'
import { type HttpResponse, number, object, text, type UpstreamError } from '@headgate/core/provider'

const read = errorReader({
  codes: [
    [/throttling|modelnotready/, 'rate-limited'],
    [/accessdenied|expiredtoken|unrecognizedclient|invalidsignature|missingauthentication/, 'our-credential'],
    [/serviceunavailable/, 'overloaded'],
    [/validation/, 'invalid-request'],
  ],
  phrases: [[/^(?:endpoint|inference component) .{0,400}not found/i, 'unknown-model']],
})

/**
 * Reads an error. Its type is in a header. A `ModelError` contains the status and message of the container.
 *
 * @see
 */
export function readError({ status, headers, body }: HttpResponse): UpstreamError | undefined {
  if (status < 400) return undefined
  const { OriginalStatusCode, OriginalMessage, Message, message } = object(body) ?? {}
  const original = number(OriginalStatusCode)
  if (original !== undefined && original >= 400) return read(original, OriginalMessage ?? Message)
  const type = headers['x-amzn-errortype']?.split(':')[0]
  const said = text(Message) ?? text(message)
  return type === undefined && said === undefined
    ? undefined
    : read(type === 'ModelError' ? 502 : status, { type, message: said })
}
