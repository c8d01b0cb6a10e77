import type { Check, RemoteTarget } from '../../checks/check.ts'
import { envelopeProblems } from '../../checks/envelope.ts'
import { modelList } from './list.ts'

/** The live list of models. */
export const modelsCheck: Check<RemoteTarget> = {
  name: "lists the upstream's models",
  async run({ open, facts, upstream }) {
    const harness = await open()
    try {
      if (upstream.models === undefined) {
        return harness.provider.models
          ? ['The provider has `models`, but the facts of the test have no list: add its path as `upstream.models`.']
          : []
      }
      const model = facts.model ?? facts.embeddings?.model ?? 'a-model'
      const due = [model, `${model}-next`] as const
      const { models } = upstream
      const path = typeof models === 'string' ? models : models.path
      const own = typeof models === 'string' ? undefined : models.write(due)
      harness.upstream.answer(
        own ? { kind: 'whole', body: own } : modelList(upstream.format ?? 'chat-completions', due),
      )
      const warnings = await harness.ready()
      const requests = harness.upstream.received
      const paths = new Set(requests.map(({ path }) => path))
      const listed = await harness.models()
      const missing = due.filter((id) => !listed.includes(id))
      return [
        ...(requests.length === 0 ? ['The model list was not requested: the provider lacks `models`.'] : []),
        ...[...paths]
          .filter((asked) => asked !== path)
          .map((asked) => `The list was requested at ${asked}, but it is at ${path}: fix \`models.request\`.`),
        ...(requests[0] ? envelopeProblems(requests[0], upstream) : []),
        ...warnings.map((warning) => `The list could not be read: ${warning}`),
        ...missing.map(
          (id) =>
            `The model ${id} of the upstream's list is missing: fix \`models.response\`; it must request every page.`,
        ),
      ]
    } finally {
      await harness.close()
    }
  },
}
