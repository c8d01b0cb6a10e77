import type { Codec } from '@headgate/core/codec'
import { readError } from './errors.ts'
import { writeRequest } from './request.ts'
import { readResponse } from './response.ts'
import { readStream } from './stream.ts'

/**
 * Amazon Bedrock's Converse and ConverseStream.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export const converse: Codec = {
  id: 'converse',
  urls: { takes: () => false },
  writeRequest,
  readResponse,
  readStream,
  readError,
}
