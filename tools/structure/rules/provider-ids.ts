import type { Rule } from '../problem.ts'
import { GENERIC_ADAPTERS, isAdapter, type Package } from '../repository.ts'

/** Core, the gateway and apps do not contain names of providers and search backends. */
export const providerIds: Rule = ({ packages }) => {
  const adapters = packages.filter((one) => isAdapter(one) && !GENERIC_ADAPTERS.has(one.id))
  // Ids of sinks are names of protocols, such as webhook.
  const namesOf = ({ id, kind, manifest }: Package): readonly string[] => [
    ...(kind === 'sink' ? [] : [id]),
    manifest.name ?? id,
  ]
  const folderOf = new Map(adapters.flatMap((one) => namesOf(one).map((name) => [name, one.folder] as const)))
  return packages
    .filter(({ kind }) => kind === 'core' || kind === 'gateway' || kind === 'app')
    .flatMap(({ sources }) => sources)
    .flatMap(({ path, strings, imports }) =>
      [...strings, ...imports].flatMap(({ value, line }) => {
        const folder = folderOf.get(value)
        if (!folder) return []
        const message = `'${value}' names an adapter: declare the difference in ${folder}, with a member of the contract`
        return { rule: 'provider-ids', path, line, message }
      }),
    )
}
