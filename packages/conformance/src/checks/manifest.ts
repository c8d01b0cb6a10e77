import { CONTRACT } from '@headgate/core'
import type { Check } from './check.ts'

/** What an adapter says of itself. */
export const manifest: Check = {
  name: 'describes itself as the contract wants it',
  async run({ adapter, facts, bench }) {
    const { id, title, kind, contract, config, env } = adapter
    const wrongNames = Object.values(env)
      .flatMap((names) => names ?? [])
      .filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))
    const unknown = { ...Object(facts.config), fieldThatNobodyKnows: true }
    const moved = facts.upstream && !bench.provider.baseUrl?.startsWith(bench.upstream.origin)
    return [
      ...(/^[a-z][a-z0-9-]*$/.test(id) ? [] : [`\`id\` is "${id}": it must be lower case, a-z, 0-9 and dashes.`]),
      ...(title.trim() === '' ? ['`title` is empty: give the name that people know.'] : []),
      ...(kind === 'provider' ? [] : [`\`kind\` is "${kind}": make the adapter with \`defineProvider\`.`]),
      ...(contract === CONTRACT
        ? []
        : [`\`contract\` is ${contract}, this kit is for ${CONTRACT}: build the adapter with this @headgate/core.`]),
      ...(config.safeParse(facts.config).success ? [] : ['`config` refuses the config of the test: complete one of them.']),
      ...(config.safeParse(unknown).success
        ? ['`config` takes a field that it does not know: make it `z.strictObject`, so that a typo is found.']
        : []),
      ...wrongNames.map((name) => `\`env\` names the variable "${name}": variables are in upper snake case.`),
      ...(moved
        ? [`\`baseUrl\` of the config does not count: the provider has ${bench.provider.baseUrl}. Whoever runs a proxy needs it.`]
        : []),
    ]
  },
}
