import { attachingReasoning } from '../../canonical/attached-reasoning.ts'
import type { Format } from '../../canonical/format.ts'
import { readError, writeError, writeStreamError } from './error.ts'
import { fieldNames } from './field-names.ts'
import { modelShapes } from './model-shapes.ts'
import { normalize } from './normalize.ts'
import { outputLimit } from './output-limit.ts'
import { rateNames } from './rate-names.ts'
import { CALL_SIGNER } from './reasoning.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { isResponse, readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { stored } from './stored.ts'
import { readStream } from './stream-read.ts'
import { writeStream } from './stream-write.ts'
import { urls } from './urls.ts'
import { relevantFrames, summarize, usageReader } from './usage-reader.ts'
import { ID, requestSchema } from './wire.ts'

/**
 * OpenAI's chat completions. Signatures are sent to callers in envelopes, except in fields that are specific to one
 * family.
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export const chatCompletions: Format = attachingReasoning(
  {
    id: ID,
    turns: 'messages',
    promptFields: ['tools'],
    modelInBody: true,
    fieldNames,
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
    ping: ': ping\n\n',
    outputLimit,
    rateNames,
    modelShapes,
    normalize,
    isResponse,
    summarize,
    usageReader,
    relevantFrames,
    done: '[DONE]',
  },
  CALL_SIGNER,
)
