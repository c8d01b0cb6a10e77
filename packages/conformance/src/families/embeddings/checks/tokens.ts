import { isDeepStrictEqual } from 'node:util'
import type { Check } from '../../../checks/check.ts'
import { embeddingsCallers } from '../callers.ts'
import type { EmbeddingsSubject } from '../subject.ts'
import { vectorOf } from '../vectors.ts'
import { embeddingsVendor } from '../vendor.ts'
import { said } from './vectors.ts'

/** As clients send them that count tokens themselves: one list, and several. */
export const TOKENS: readonly (readonly number[] | readonly (readonly number[])[])[] = [
  [3923, 374, 264],
  [[9906], [1917, 0, 5]],
]

/** Lists of tokens go up, or are refused before anything is sent. */
export const tokensCheck: Check<EmbeddingsSubject> = {
  name: 'takes lists of tokens, or refuses them',
  async run({ bench, embeddings }) {
    const [caller] = embeddingsCallers
    const findings: string[] = []
    for (const input of TOKENS) {
      const vendor = embeddingsVendor(embeddings)
      bench.upstream.answer(vendor.answer)
      const { path, body } = caller.ask(embeddings.model, [], {})
      const got = await bench.ask({ path, body: { ...body, input } })
      const lists = (typeof input[0] === 'number' ? [input] : input) as readonly (readonly number[])[]
      if (embeddings.tokens) {
        const due = lists.map((list) => vectorOf(list))
        if (!isDeepStrictEqual(caller.read(got.body).vectors, due))
          findings.push(
            `The upstream takes lists of tokens, and callers get ${said(got, caller)} Say so by \`tokens\`, and send them as they are.`,
          )
      } else if (got.status !== 400 || bench.upstream.received.length > 0)
        findings.push(
          `The upstream takes no tokens, so they are refused with a 400; callers got ${said(got, caller)} Leave out \`tokens\`.`,
        )
    }
    return findings
  },
}
