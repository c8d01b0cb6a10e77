import { type TestCall, testCall } from '@headgate/conformance'
import { type EmbeddingsRequest, type EmbeddingsResponse, HeadgateError } from '@headgate/core/provider'
import { local } from '../src/index.ts'
import { MODEL } from '../src/model.ts'

/** The adapter as core calls it. */
export interface Local {
  embed(inputs: readonly string[], changes?: Partial<EmbeddingsRequest>, call?: TestCall): Promise<EmbeddingsResponse>
  close(): Promise<void>
  readonly provider: ReturnType<typeof local>
}

/** The provider; loads its model with the first texts. */
export function openLocal(): Local {
  const provider = local({})
  const { embeddings } = provider
  if (!embeddings || !('run' in embeddings)) throw new TypeError('The provider does not run in this process.')
  return {
    provider,
    embed: (inputs, changes = {}, call = testCall({ model: MODEL })) =>
      embeddings.run({ model: MODEL, inputs, encoding: 'float', ...changes }, new AbortController().signal, call),
    close: async () => provider.close?.(),
  }
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<HeadgateError> {
  const failure = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!HeadgateError.is(failure)) throw new TypeError(`There is no failure: ${String(failure)}`)
  return failure
}
