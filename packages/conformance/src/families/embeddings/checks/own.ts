import type { EmbeddingsSupport } from '@headgate/core/provider'
import { type Check, distinct, within } from '../../../checks/check.ts'
import { testCall } from '../../../test-call.ts'
import { type EmbeddingsCaller, embeddingsCallers } from '../callers.ts'
import type { InProcessEmbeddingsTarget } from '../target.ts'
import { said } from './vectors.ts'

const PATIENCE_MS = 10_000
/** Tolerance between the vector of an input alone and the vector of the same input in a batch. */
const NEAR = 1e-4

/** English words, so that a model of any language accepts them. */
const textsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `The cat sat on mat number ${index}`)

/** Vectors must not depend on the batch or on the caller's format. */
export function ownVectorsCheck(caller: EmbeddingsCaller): Check<InProcessEmbeddingsTarget> {
  return {
    name: `returns one vector per input, in order, to callers of ${caller.name}`,
    async run({ harness, embeddings: { model, batch = 0 } }) {
      const texts = textsOf(caller.most === 1 ? 1 : batch + 3)
      const before = harness.rows.length
      const got = await harness.ask(caller.ask(model, texts, {}))
      const alone = await harness.ask(caller.ask(model, texts.slice(-1), {}))
      for (const one of [got, alone])
        if (one.status !== 200) return [`Callers of ${caller.name} get ${said(one, caller)}`]
      const { vectors, tokens, problems } = caller.read(got.body)
      const [due] = caller.read(alone.body).vectors
      const last = vectors.at(-1)
      const isSame =
        due !== undefined &&
        last?.length === due.length &&
        due.every((value, index) => Math.abs(value - (last[index] ?? 2)) < NEAR)
      const [row] = harness.rows.slice(before)
      return distinct([
        ...problems.map((problem) => `Callers of ${caller.name} get wrong vectors: ${problem}.`),
        ...(vectors.length === texts.length && isSame
          ? []
          : ['The response must have one vector per input, in the order of the inputs: fix `embeddings.run`.']),
        ...(tokens !== undefined && row?.usage?.input === tokens
          ? []
          : ['The response has no usage: `run` must count tokens.']),
      ])
    },
  }
}

/** Token lists belong to one model's tokenizer. */
export const ownTokensCheck: Check<InProcessEmbeddingsTarget> = {
  name: 'accepts token lists, or rejects them',
  async run({ harness, embeddings: { model, tokens } }) {
    const [caller] = embeddingsCallers
    const { path, body } = caller.ask(model, [], {})
    const got = await harness.ask({ path, body: { ...body, input: [5, 6, 7] } })
    const due = tokens ? 200 : 400
    return got.status === due
      ? []
      : [`For a token list, callers get ${said(got, caller)} Expected: ${due}; fix \`tokens\`.`]
  },
}

/** Caller that disconnects: `run` receives an aborted signal. */
export const ownAbortCheck: Check<InProcessEmbeddingsTarget> = {
  name: 'stops embedding when the caller disconnects',
  async run({ harness, embeddings: { model, batch } }) {
    const run = runOf(harness.provider.embeddings)
    const inputs = textsOf(Math.min(batch ?? 64, 64))
    const caller = new AbortController()
    const made = run({ model, inputs, encoding: 'float' }, caller.signal, testCall({ model })).then(
      () => 'whole',
      () => 'stopped',
    )
    caller.abort()
    return (await within(PATIENCE_MS, made)) === 'stopped'
      ? []
      : ['`run` continues after its signal aborts: listen to the signal.']
  },
}

function runOf(support: EmbeddingsSupport | undefined): Extract<EmbeddingsSupport, { run: unknown }>['run'] {
  if (!support || !('run' in support))
    throw new TypeError('The provider has neither a `baseUrl` nor embeddings that run in-process.')
  return (...given) => support.run(...given)
}
