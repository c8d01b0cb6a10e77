import { CONTRACT } from '@headgate/core/provider'
import type { Described } from '../facts.ts'
import type { Check } from './check.ts'

/** What an adapter says of itself. */
export const manifest: Check = {
  name: 'describes itself as the contract wants it',
  async run({ adapter, facts, bench }) {
    return [
      ...descriptionProblems(adapter, facts.config, { kind: 'provider', maker: 'defineProvider' }),
      ...(facts.upstream ? baseUrlProblems(bench.provider.baseUrl, bench.upstream.origin) : []),
    ]
  },
}

/** What is wrong with a description, whatever it describes. `config` is one that is complete. */
export function descriptionProblems(
  adapter: Described,
  complete: unknown,
  due: { kind: string; maker: string },
): string[] {
  const { id, title, kind, contract, config, env } = adapter
  const wrongNames = Object.values(env)
    .flatMap((sources) => sources ?? [])
    .map((source) => (typeof source === 'string' ? source : source.file))
    .filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))
  const unknown = { ...Object(complete), fieldThatNobodyKnows: true }
  return [
    ...(/^[a-z][a-z0-9-]*$/.test(id) ? [] : [`\`id\` is "${id}": it must be lower case, a-z, 0-9 and dashes.`]),
    ...(title.trim() === '' ? ['`title` is empty: give the name that people know.'] : []),
    ...(kind === due.kind ? [] : [`\`kind\` is "${kind}": make the adapter with \`${due.maker}\`.`]),
    ...(contract === CONTRACT
      ? []
      : [`\`contract\` is ${contract}, this kit is for ${CONTRACT}: build the adapter with this @headgate/core.`]),
    ...(config.safeParse(complete).success ? [] : ['`config` refuses the config of the test: complete one of them.']),
    ...(config.safeParse(unknown).success
      ? ['`config` takes a field that it does not know: make it `z.strictObject`, so that a typo is found.']
      : []),
    ...wrongNames.map((name) => `\`env\` names the variable "${name}": variables are in upper snake case.`),
  ]
}

/** Whether the base URL of the config counts. */
export function baseUrlProblems(baseUrl: string | undefined, origin: string): string[] {
  if (baseUrl?.startsWith(origin)) return []
  return [`\`baseUrl\` of the config does not count: the adapter has ${baseUrl}. Whoever runs a proxy needs it.`]
}
