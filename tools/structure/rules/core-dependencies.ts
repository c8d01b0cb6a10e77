import type { Rule } from '../problem.ts'

const ALLOWED = ['undici', 'zod']

/** Who embeds core gets two packages with it, and no more. */
export const coreDependencies: Rule = ({ packages }) =>
  packages
    .filter(({ kind }) => kind === 'core')
    .flatMap(({ folder, manifest }) =>
      Object.keys(manifest['dependencies'] ?? {})
        .filter((name) => !ALLOWED.includes(name))
        .map((name) => ({
          rule: 'core-dependencies',
          path: `${folder}/package.json`,
          message: `depends on ${name}: core depends on ${ALLOWED.join(' and ')} only`,
        })),
    )
