import { openBench } from '../../bench.ts'
import type { Check, RemoteSubject } from '../../checks/check.ts'
import { envelopeProblems } from '../chat/checks/request.ts'
import { modelList } from './list.ts'

/** The live list of models. */
export const modelsCheck: Check<RemoteSubject> = {
  name: "lists the upstream's models",
  async run({ adapter, facts, upstream }) {
    const bench = await openBench(adapter, facts)
    try {
      if (upstream.models === undefined) {
        return bench.provider.models
          ? ['The provider has `models`, and the facts of the test say of no list: name its path in `upstream.models`.']
          : []
      }
      const due = [facts.model, `${facts.model}-next`] as const
      bench.upstream.answer(modelList(upstream.format, due))
      const warnings = await bench.ready()
      const requests = bench.upstream.received
      const paths = new Set(requests.map(({ path }) => path))
      const listed = await bench.models()
      const missing = due.filter((id) => !listed.includes(id))
      return [
        ...(requests.length === 0 ? ['The upstream was not asked for its list: `models` is missing.'] : []),
        ...[...paths]
          .filter((path) => path !== upstream.models)
          .map((path) => `The list was looked for at ${path}, it is at ${upstream.models}: mend \`models.request\`.`),
        ...(requests[0] ? envelopeProblems(requests[0], upstream) : []),
        ...warnings.map((warning) => `The list could not be read: ${warning}`),
        ...missing.map(
          (id) => `The model ${id} of the upstream's list is not listed: mend \`models.response\`, which must ask for every page.`,
        ),
      ]
    } finally {
      await bench.close()
    }
  },
}
