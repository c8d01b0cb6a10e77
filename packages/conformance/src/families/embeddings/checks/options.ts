import { type Check, distinct } from '../../../checks/check.ts'
import type { EmbeddingsCaller, Options } from '../callers.ts'
import type { EmbeddingsTarget } from '../target.ts'
import { embeddingsVendor } from '../vendor.ts'

const OPTIONS: readonly (readonly [keyof Options, Options])[] = [
  ['dimensions', { dimensions: 3 }],
  ['use', { use: 'query' }],
  ['use', { use: 'document' }],
]

/** Paths of the options: the argument of `call.lose`. */
const LOSE_PATHS = { dimensions: 'dimensions', use: 'input_type' } as const

/** Options must be sent, or declared as lost. */
export function optionsCheck(caller: EmbeddingsCaller): Check<EmbeddingsTarget> {
  return {
    name: `sends or declares the options of callers of ${caller.name}`,
    async run({ harness, embeddings }) {
      const findings: string[] = []
      for (const [option, asked] of OPTIONS) {
        const vendor = embeddingsVendor(embeddings)
        harness.upstream.answer(vendor.answer)
        const got = await harness.ask(caller.ask(embeddings.model, ['a text'], asked))
        const [understood] = vendor.asked
        const what = `\`${option}\` of ${JSON.stringify(asked[option])} of callers of ${caller.name}`
        const declaration = `declare it with \`call.lose('${LOSE_PATHS[option]}', …)\``
        findings.push(
          ...vendor.refusals.map(
            (reason) =>
              `With ${what}, the vendor would reject this with a 400: ${reason}. Omit it, and ${declaration}.`,
          ),
        )
        if (
          !understood ||
          understood[option] === asked[option] ||
          caller.names[option].test(got.headers['headgate-lost'] ?? '')
        )
          continue
        findings.push(`${what} was not sent, and headgate-lost does not name it: send it, or ${declaration}.`)
        const { vectors } = caller.read(got.body)
        if (option === 'dimensions' && vectors[0]?.length === 3)
          findings.push('Vectors were truncated: only the model can shorten them.')
      }
      return distinct(findings)
    },
  }
}
