import { isDeepStrictEqual } from 'node:util'
import { derivedManifest } from '../derived.ts'
import type { Rule } from '../problem.ts'
import type { Repository } from '../repository.ts'

/** What is the same in every package.json is derived from where the package lies. */
export const manifest: Rule = (repository) =>
  repository.packages.flatMap((one) => {
    const expected = derivedManifest(one, zodRange(repository))
    return Object.keys(expected)
      .filter((field) => !isDeepStrictEqual(one.manifest[field], expected[field]))
      .map((field) => ({
        rule: 'manifest',
        path: `${one.folder}/package.json`,
        message: `\`${field}\` is ${show(one.manifest[field])}, expected ${show(expected[field])}: run \`pnpm check --write\``,
      }))
  })

/** Adapters and core share one zod: its range is core's. */
export function zodRange({ packages }: Repository): string {
  const dependencies: Record<string, string> = Object(packages.find(({ kind }) => kind === 'core')?.manifest['dependencies'])
  return dependencies['zod'] ?? '*'
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
