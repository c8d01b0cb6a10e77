import type { Format } from '../../canonical/format.ts'
import { background } from './background.ts'
import { readError, writeError, writeStreamError } from './error.ts'
import { fieldNames } from './field-names.ts'
import { normalize } from './normalize.ts'
import { outputLimit } from './output-limit.ts'
import { references } from './references.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { isResponse, readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { stored } from './stored.ts'
import { readStream } from './stream-read.ts'
import { writeStream } from './stream-write.ts'
import { inputOf } from './turns-read.ts'
import { urls } from './urls.ts'
import { relevantFrames, summarize, usageReader } from './usage-reader.ts'
import { ID, requestSchema, SIGNER } from './wire.ts'

/**
 * OpenAI's responses: an input and an output of items, streams of numbered events.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const responses: Format = {
  id: ID,
  signer: SIGNER,
  turns: 'input',
  promptFields: ['tools', 'instructions'],
  checkTurns: (body) => void inputOf(body),
  modelInBody: true,
  fieldNames,
  searches: true,
  requestSchema,
  urls,
  stored,
  references,
  background,
  readRequest,
  writeRequest,
  readResponse,
  writeResponse,
  readStream,
  writeStream,
  readError,
  foreignReasoning: 'invalid_encrypted_content',
  writeError,
  writeStreamError,
  ping: ': ping\n\n',
  counting: {
    request: (body) => body,
    answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
  outputLimit,
  hostedTools: { together: 'max_tool_calls' },
  isPath: (path) => path.startsWith('/v1/responses'),
  normalize,
  isResponse,
  summarize,
  usageReader,
  relevantFrames,
}
