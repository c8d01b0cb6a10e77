import type { Rule } from '../problem.ts'

/** Allowed dependencies of the packages that others build on. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'packages/core': ['zod'],
  'packages/gateway': ['@headgate/core', 'undici', 'zod'],
  'packages/fleet': ['@headgate/gateway', 'iovalkey'],
  'packages/telemetry': ['@headgate/gateway', 'undici'],
}

/** Limits the dependencies of core and of the gateway. */
export const coreDependencies: Rule = ({ packages }) =>
  packages.flatMap(({ folder, manifest }) => {
    const allowed = ALLOWED[folder]
    if (!allowed) return []
    return Object.keys(manifest['dependencies'] ?? {})
      .filter((name) => !allowed.includes(name))
      .map((name) => ({
        rule: 'core-dependencies',
        path: `${folder}/package.json`,
        message: `depends on ${name}: it can only depend on ${allowed.join(', ')} only`,
      }))
  })
