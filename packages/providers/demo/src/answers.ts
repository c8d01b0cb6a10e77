import { HeadgateError, type HttpRequest, type ImageSize, type LocalResponse } from '@headgate/core/provider'
import { IMAGES, pictures } from './images.ts'
import { SPEECH, sound, type ToneShape } from './speech.ts'
import { TRANSCRIPTION } from './transcription.ts'

const EMPTY: LocalResponse = { type: 'application/json', bytes: new TextEncoder().encode('{}') }

/** Response to a request of one of the families that have HTTP exchanges. */
export function answer({ url, body }: HttpRequest): LocalResponse | Promise<LocalResponse> {
  if (url === IMAGES) return pictures(contentOf(body) as { size: ImageSize; hues: readonly number[] })
  if (url === SPEECH) return sound(contentOf(body) as ToneShape)
  if (url === TRANSCRIPTION) return EMPTY
  throw new HeadgateError('internal', `The demo has no path ${url}.`)
}

/** JSON of a body. The gateway serializes bodies of requests for speech. */
function contentOf(body: HttpRequest['body']): unknown {
  if (body && 'json' in body) return body.json
  const bytes = body && 'bytes' in body ? body.bytes : '{}'
  if (typeof bytes === 'string') return JSON.parse(bytes)
  return JSON.parse(new TextDecoder().decode(bytes as Uint8Array))
}
