import { z } from 'zod'
import { FORMATS } from './wire.ts'

const list = z.array(z.string()).optional()

/**
 * Form of `POST /v1/audio/transcriptions` and `/translations`. Further fields reach providers with the same wire.
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const transcriptionSchema = z.looseObject({
  file: z.string().meta({ format: 'binary', description: 'Recording, as a file with a name.' }),
  model: z.string(),
  language: z.string().optional().describe('ISO 639-1 code. Default: it is detected.'),
  prompt: z.string().optional().describe('Text before the recording, for spelling and style.'),
  'keywords[]': list.describe('Words that are likely to occur.'),
  response_format: z.enum(FORMATS).optional().describe('Default: `json`.'),
  'timestamp_granularities[]': z
    .array(z.enum(['word', 'segment']))
    .optional()
    .describe('With `verbose_json` only.'),
  temperature: z.number().min(0).max(1).optional(),
  stream: z.boolean().optional().describe('Default: false.'),
})
