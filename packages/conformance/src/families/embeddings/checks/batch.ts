import type { Check } from '../../../checks/check.ts'
import { embeddingsCallers } from '../callers.ts'
import type { EmbeddingsTarget } from '../target.ts'
import { tokensOf } from '../vectors.ts'
import { embeddingsVendor } from '../vendor.ts'
import { answerProblems, requestProblems } from './vectors.ts'

/** Number of inputs if no limit is known. */
const MANY = 300

/** More inputs than one request to the vendor can have. */
export const batchCheck: Check<EmbeddingsTarget> = {
  name: 'splits inputs that exceed the limit of one request, and merges the results',
  async run(target) {
    const { harness, embeddings } = target
    const { batch } = embeddings
    const most = harness.provider.embeddings?.batch
    const own = typeof most === 'function' ? most(embeddings.model) : most
    const texts = Array.from(
      { length: batch === undefined ? MANY : 2 * batch + 1 },
      (_, index) => `text number ${index}`,
    )
    const vendor = embeddingsVendor(embeddings)
    const [caller] = embeddingsCallers
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(caller.ask(embeddings.model, texts, {}))
    const tokens = texts.reduce((total, one) => total + tokensOf(one), 0)
    return [
      ...(own !== undefined && batch === undefined
        ? [`\`batch\` is ${own}, but the facts of the test have no limit: add it there.`]
        : []),
      ...(vendor.refusals.length > 0
        ? [
            `The vendor would reject this with a 400: ${vendor.refusals[0]}. \`batch\` must be the maximum number of inputs in one request; it is ${own ?? 'absent'}.`,
          ]
        : []),
      ...harness.upstream.received.slice(0, 1).flatMap((request) => requestProblems(request, target)),
      ...(vendor.refusals.length > 0 ? [] : answerProblems(got, caller, texts, tokens)),
    ]
  },
}
