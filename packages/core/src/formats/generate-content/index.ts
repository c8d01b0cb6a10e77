import { attachingReasoning } from '../../canonical/attached-reasoning.ts'
import type { Format } from '../../canonical/format.ts'
import { countedRequest, writeCount } from './count.ts'
import { readError, writeError, writeStreamError } from './error.ts'
import { fieldNames } from './field-names.ts'
import { hostedTools } from './hosted-tools.ts'
import { modelShapes } from './model-shapes.ts'
import { normalize } from './normalize.ts'
import { outputLimit } from './output-limit.ts'
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

/** Paths of the Gemini API and of Vertex AI. */
const PATHS = /^\/v1(?:beta1?\/|\/projects\/|\/publishers\/)/

/**
 * Google's generateContent, of the Gemini API and Vertex AI.
 * @see https://ai.google.dev/api/generate-content
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
export const generateContent: Format = attachingReasoning(
  {
    id: ID,
    signer: SIGNER,
    turns: 'contents',
    promptFields: ['tools', 'systemInstruction', 'system_instruction'],
    modelInBody: false,
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
    ping: ': ping\r\n\r\n',
    counting: { request: countedRequest, answer: writeCount },
    outputLimit,
    hostedTools,
    modelShapes,
    isPath: (path) => PATHS.test(path),
    normalize,
    isResponse,
    summarize,
    usageReader,
    relevantFrames,
  },
  SIGNER,
)
