import { chatCompletions } from '@headgate/core/formats'
import {
  COST,
  HEADERS,
  LOST,
  objectResponse,
  REQUEST_ID,
  type RouteOperation,
  SERVED_BY,
} from '../../edge/operation.ts'
import type { Family } from '../../serve/family.ts'
import { transcriptionSchema } from './schema.ts'
import { serveTranscription } from './serve.ts'

const TRANSCRIPTIONS = '/v1/audio/transcriptions'
const TRANSLATIONS = '/v1/audio/translations'

function operation(id: string, summary: string): RouteOperation {
  return {
    id,
    summary,
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/transcription' } } },
    },
    responses: objectResponse('The transcript in the requested format.', {
      ...REQUEST_ID,
      ...SERVED_BY,
      ...LOST,
      ...COST,
    }),
  }
}

/** Transcripts of recordings, and their translation into English, in all formats from any provider with times. */
export const transcription: Family = {
  id: 'transcription',
  kind: 'provider',
  schemas: { transcription: transcriptionSchema },
  errors: (path) => (path === TRANSCRIPTIONS || path === TRANSLATIONS ? chatCompletions : undefined),
  has: ({ transcription: support }) => support !== undefined,
  open: (core) => ({
    routes: [
      {
        method: 'POST',
        path: TRANSCRIPTIONS,
        operation: operation('transcribe', 'Transcribes a recording.'),
        canDryRun: true,
        serve: (context) => serveTranscription(core, context, false),
      },
      {
        method: 'POST',
        path: TRANSLATIONS,
        operation: operation('translate-recording', 'Translates a recording into English.'),
        canDryRun: true,
        serve: (context) => serveTranscription(core, context, true),
      },
    ],
  }),
}
