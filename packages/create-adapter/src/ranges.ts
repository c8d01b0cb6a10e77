import { readFileSync } from 'node:fs'
import type { Ranges } from './package-files.ts'

/** Version ranges for a new package, from the dependencies of this one. */
export function ownRanges(): Ranges {
  const { devDependencies }: { devDependencies: Ranges } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  const range = (name: keyof Ranges) => devDependencies[name].replace(/^workspace:/, '')
  return {
    '@headgate/conformance': range('@headgate/conformance'),
    '@headgate/core': range('@headgate/core'),
    '@types/node': range('@types/node'),
    typescript: range('typescript'),
    vitest: range('vitest'),
    zod: range('zod'),
  }
}
