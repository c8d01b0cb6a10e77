import { type Codec, errorReader } from '@headgate/core/codec'
import { writeRequest } from './request.ts'
import { readResponse } from './response.ts'
import { readStream } from './stream.ts'

/**
 * Cohere's chat API, version 2.
 *
 * @see https://docs.cohere.com/reference/chat
 */
export const chat: Codec = {
  id: 'cohere-chat',
  urls: { takes: (_, kind) => kind === 'image' },
  writeRequest,
  readResponse,
  readStream,
  readError: errorReader({
    codes: [],
    phrases: [
      [/too many tokens/i, 'context-too-long'],
      [/^model '.*' not found/i, 'unknown-model'],
    ],
  }),
}
