import type { Format } from '../../canonical/format.ts'
import { readError, writeError, writeStreamError } from './error.ts'
import { fieldNames } from './field-names.ts'
import { modelShapes } from './model-shapes.ts'
import { normalize } from './normalize.ts'
import { outputLimit } from './output-limit.ts'
import { rateNames } from './rate-names.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { isResponse, readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { stored } from './stored.ts'
import { readStream } from './stream-read.ts'
import { writeStream } from './stream-write.ts'
import { urls } from './urls.ts'
import { relevantFrames, summarize, usageReader } from './usage-reader.ts'
import { ID, requestSchema, SIGNER } from './wire.ts'

/**
 * The messages format: blocks in turns of user and assistant, streams of named events.
 * @see https://platform.claude.com/docs/en/api/messages
 */
export const messages: Format = {
  id: ID,
  signer: SIGNER,
  turns: 'messages',
  promptFields: ['tools', 'system'],
  modelInBody: true,
  fieldNames,
  searches: true,
  requestSchema,
  urls,
  stored,
  readRequest,
  writeRequest,
  readResponse,
  writeResponse,
  readStream,
  writeStream,
  readError,
  writeError,
  writeStreamError,
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
  outputLimit,
  rateNames,
  modelShapes,
  isPath: (path) => path.startsWith('/v1/messages'),
  normalize,
  isResponse,
  summarize,
  usageReader,
  relevantFrames,
  counting: { request: (body) => body, answer: (tokens) => ({ input_tokens: tokens }) },
}
