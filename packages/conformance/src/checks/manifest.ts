import { CONTRACT } from '@headgate/core/provider'
import type { Described } from '../facts.ts'
import type { Check } from './check.ts'

/** Checks of an adapter's description of itself. */
export const manifest: Check = {
  name: 'describes itself as the contract requires',
  async run({ adapter, facts, harness }) {
    return [
      ...descriptionProblems(adapter, facts.config, { kind: 'provider', maker: 'defineProvider' }),
      ...(facts.upstream ? baseUrlProblems(harness.provider.baseUrl, harness.upstream.origin) : []),
    ]
  },
}

/** Problems of a description of any kind of adapter. `config` must be complete. */
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
    ...(/^[a-z][a-z0-9-]*$/.test(id)
      ? []
      : [`\`id\` is "${id}": it must consist of lowercase letters, digits and dashes.`]),
    ...(title.trim() === '' ? ['`title` is empty: set it to the public name of the vendor.'] : []),
    ...(kind === due.kind ? [] : [`\`kind\` is "${kind}": create the adapter with \`${due.maker}\`.`]),
    ...(contract === CONTRACT
      ? []
      : [
          `\`contract\` is ${contract}, this kit is for ${CONTRACT}: build the adapter with the same version of @headgate/core.`,
        ]),
    ...(config.safeParse(complete).success
      ? []
      : ["`config` rejects the test's config: complete the schema or the config."]),
    ...(config.safeParse(unknown).success
      ? ['`config` accepts unknown fields: use `z.strictObject`, so that typos are found.']
      : []),
    ...wrongNames.map((name) => `\`env\` names the variable "${name}": write variables in upper snake case.`),
  ]
}

/** Checks that the config's base URL takes effect. */
export function baseUrlProblems(baseUrl: string | undefined, origin: string): string[] {
  if (baseUrl?.startsWith(origin)) return []
  return [`\`baseUrl\` of the config is ignored: the adapter uses ${baseUrl}. Users of a proxy need it.`]
}
