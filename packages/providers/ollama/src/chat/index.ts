import { type Codec, errorReader } from '@headgate/core/codec'
import { ID } from './messages.ts'
import { writeRequest } from './request.ts'
import { readResponse } from './response.ts'
import { readStream } from './stream.ts'

/**
 * Ollama's native chat API. An error is a string: `{ "error": "…" }`.
 *
 * @see https://docs.ollama.com/api/chat
 */
export const chat: Codec = {
  id: ID,
  urls: { takes: () => false },
  writeRequest,
  readResponse,
  readStream,
  readError: errorReader({ codes: [], phrases: [[/exceeds? the (?:available )?context/i, 'context-too-long']] }),
}
