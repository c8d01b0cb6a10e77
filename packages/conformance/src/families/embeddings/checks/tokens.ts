import { isDeepStrictEqual } from 'node:util'
import type { Check } from '../../../checks/check.ts'
import { embeddingsCallers } from '../callers.ts'
import type { EmbeddingsTarget } from '../target.ts'
import { vectorOf } from '../vectors.ts'
import { embeddingsVendor } from '../vendor.ts'
import { said } from './vectors.ts'

/** Token lists from clients that tokenize themselves: a single list, and several. */
export const TOKENS: readonly (readonly number[] | readonly (readonly number[])[])[] = [
  [3923, 374, 264],
  [[9906], [1917, 0, 5]],
]

/** Token lists are forwarded, or rejected before anything is sent. */
export const tokensCheck: Check<EmbeddingsTarget> = {
  name: 'accepts token lists, or rejects them',
  async run({ harness, embeddings }) {
    const [caller] = embeddingsCallers
    const findings: string[] = []
    for (const input of TOKENS) {
      const vendor = embeddingsVendor(embeddings)
      harness.upstream.answer(vendor.answer)
      const { path, body } = caller.ask(embeddings.model, [], {})
      const got = await harness.ask({ path, body: { ...body, input } })
      const lists = (typeof input[0] === 'number' ? [input] : input) as readonly (readonly number[])[]
      if (embeddings.tokens) {
        const due = lists.map((list) => vectorOf(list))
        if (!isDeepStrictEqual(caller.read(got.body).vectors, due))
          findings.push(
            `The upstream accepts token lists, but callers get ${said(got, caller)} Set \`tokens\`, and send them unchanged.`,
          )
      } else if (got.status !== 400 || harness.upstream.received.length > 0)
        findings.push(
          `The upstream does not accept token lists, so they must be rejected with a 400; callers got ${said(got, caller)} Leave out \`tokens\`.`,
        )
    }
    return findings
  },
}
