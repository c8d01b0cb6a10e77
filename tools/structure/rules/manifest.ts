import { isDeepStrictEqual } from 'node:util'
import { derivedManifest, surroundingsOf } from '../derived.ts'
import type { Rule } from '../problem.ts'

/** Common fields of package.json files are derived from the folder of the package. */
export const manifest: Rule = (repository) => {
  const surroundings = surroundingsOf(repository)
  return repository.packages.flatMap((one) => {
    const expected = derivedManifest(one, surroundings)
    return Object.keys(expected)
      .filter((field) => !isDeepStrictEqual(one.manifest[field], expected[field]))
      .map((field) => ({
        rule: 'manifest',
        path: `${one.folder}/package.json`,
        message: `\`${field}\` is ${show(one.manifest[field])}, expected ${show(expected[field])}: run \`pnpm check --write\``,
      }))
  })
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
