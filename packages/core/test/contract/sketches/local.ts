import { z } from 'zod'
import { type Call, defineProvider, type EmbeddingsRequest } from '../../../src/provider.ts'

/** A family in this process beside none of chat, with something to close. */
export const localEmbeddings = (
  embed: (inputs: EmbeddingsRequest['inputs'], signal: AbortSignal) => Promise<number[][]>,
  stop: () => Promise<void>,
) =>
  defineProvider(
    { id: 'local-embeddings', title: 'Local embeddings', config: z.strictObject({}), env: {}, enable: 'last-resort' },
    () => ({
      credential: { kind: 'none' },
      known: [{ id: 'minilm', context: 512, inputs: ['text'], price: { id: 'local', input: 0, output: 0 } }],
      closed: true,
      embeddings: {
        batch: 32,
        async run({ inputs, dimensions }: EmbeddingsRequest, signal: AbortSignal, { lose }: Call) {
          if (dimensions !== undefined) lose('dimensions', 'the model has one length')
          return { vectors: await embed(inputs, signal) }
        },
      },
      close: stop,
    }),
  )
