import { type Check, distinct } from '../../../checks/check.ts'
import type { Caller, Options } from '../callers.ts'
import type { EmbeddingsSubject } from '../subject.ts'
import { embeddingsVendor } from '../vendor.ts'

const OPTIONS: readonly (readonly [keyof Options, Options])[] = [
  ['dimensions', { dimensions: 3 }],
  ['use', { use: 'query' }],
  ['use', { use: 'document' }],
]

/** Paths of the options: what an adapter passes to `call.lose`. */
const LOSE_PATHS = { dimensions: 'dimensions', use: 'input_type' } as const

/** What is asked beside the texts goes up, or is declared. */
export function optionsCheck(caller: Caller): Check<EmbeddingsSubject> {
  return {
    name: `carries or declares what callers of ${caller.name} ask beside the texts`,
    async run({ bench, embeddings }) {
      const findings: string[] = []
      for (const [option, asked] of OPTIONS) {
        const vendor = embeddingsVendor(embeddings)
        bench.upstream.answer(vendor.answer)
        const got = await bench.ask(caller.ask(embeddings.model, ['a text'], asked))
        const [understood] = vendor.asked
        const what = `\`${option}\` of ${JSON.stringify(asked[option])} of callers of ${caller.name}`
        const declaration = `declare it by \`call.lose('${LOSE_PATHS[option]}', …)\``
        findings.push(
          ...vendor.refusals.map(
            (reason) => `With ${what} the vendor would answer with a 400: ${reason}. Leave it out, and ${declaration}.`,
          ),
        )
        if (
          !understood ||
          understood[option] === asked[option] ||
          caller.names[option].test(got.headers['headgate-lost'] ?? '')
        )
          continue
        findings.push(`${what} did not go up, and headgate-lost does not name it: send it, or ${declaration}.`)
        const { vectors } = caller.read(got.body)
        if (option === 'dimensions' && vectors[0]?.length === 3)
          findings.push('Vectors were cut: only the model can shorten them.')
      }
      return distinct(findings)
    },
  }
}
