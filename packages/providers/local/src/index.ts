import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { embed } from './embed.ts'
import { MODEL, MOST_TOKENS } from './model.ts'
import { createThread } from './thread.ts'

/** Maximum number of inputs in a request. */
const BATCH = 64

/**
 * Embeddings of English text, computed in-process: without a key, and without a network.
 *
 * The package contains the model. The first request loads it in a separate thread, which serves requests in turn, a few
 * inputs at a time.
 */
export const local = defineProvider(
  { id: 'local', title: 'Local', config: z.strictObject({}), env: {}, enable: 'asked' },
  () => {
    const thread = createThread()
    return {
      credential: { kind: 'none' },
      embeddings: { batch: BATCH, run: (request, signal, call) => embed(thread, request, signal, call) },
      known: [
        {
          id: MODEL,
          families: ['embeddings'],
          context: MOST_TOKENS,
          inputs: ['text'],
          price: { id: 'local', input: 0, output: 0 },
        },
      ],
      closed: true,
      close: thread.close,
    }
  },
)
