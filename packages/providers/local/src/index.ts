import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { embed } from './embed.ts'
import { MODEL, MOST_TOKENS } from './model.ts'
import { createThread } from './thread.ts'

/** Texts of one call. */
const BATCH = 64

/**
 * Vectors of English texts, made in this process: without a key, and without a network.
 *
 * The model comes with the package and is loaded by the first request, in a thread of its own. It answers one request
 * at a time, a few texts of each in turn.
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
