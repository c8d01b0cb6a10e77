import type { NewAdapter } from './adapter.ts'
import { adapterFiles, type NewAdapterKind, requiredVariables, TEMPLATES, type TemplateId } from './templates.ts'

/** Version ranges of a new package's dependencies, by name. */
export type Ranges = Readonly<
  Record<'@headgate/conformance' | '@headgate/core' | '@types/node' | 'typescript' | 'vitest' | 'zod', string>
>

/**
 * Timeout of one test in a new package, in milliseconds. The kit uses real sockets, which are slow on a slow machine.
 */
const PATIENCE = 60_000

/** Files of a self-contained adapter package, by path. */
export function packageFiles(id: TemplateId, adapter: NewAdapter, ranges: Ranges): Record<string, string> {
  const template = TEMPLATES[id]
  const { 'README.md': readme = '', ...sources } = adapterFiles(template, adapter)
  const description = `${adapter.title} as ${template.role} of Headgate.`
  return {
    'package.json': json(manifest(template.kind, adapter.name, description, ranges)),
    'README.md': readme + work(requiredVariables(template, adapter)),
    'tsconfig.json': json(TYPES),
    'tsconfig.build.json': json(BUILD),
    '.gitignore': 'dist/\nnode_modules/\n',
    ...sources,
  }
}

/** Default name of a package. */
export function packageName(kind: NewAdapterKind, id: string): string {
  return `headgate-${kind}-${id}`
}

function manifest(kind: NewAdapterKind, name: string, description: string, ranges: Ranges): object {
  const { '@headgate/core': core, zod } = ranges
  return {
    name,
    version: '0.1.0',
    description,
    keywords: ['headgate', `headgate-${kind}`],
    type: 'module',
    sideEffects: false,
    engines: { node: '>=22.19' },
    headgate: { adapter: kind },
    files: ['dist'],
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    scripts: {
      build: 'tsc -p tsconfig.build.json',
      prepack: 'npm run build',
      test: `vitest run --testTimeout=${PATIENCE}`,
      types: 'tsc',
    },
    peerDependencies: { '@headgate/core': core, zod },
    devDependencies: ranges,
  }
}

const TYPES = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['src', 'test'],
}

const BUILD = {
  extends: './tsconfig.json',
  compilerOptions: {
    rootDir: 'src',
    outDir: 'dist',
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
  },
  include: ['src'],
}

/** Development section of the README. */
function work(variables: readonly string[]): string {
  return `
## Work on it

\`\`\`sh
npm install
npm test           # a real gateway in front of a server on this machine that plays the vendor
npm run types
npm pack           # builds it first; npm publish does so too
\`\`\`

To try it before it is published: \`npm run build\`, name this folder in the package.json of a project that has \`headgate\`, as
\`"headgate": { "adapters": ["../this-folder"] }\`, and start that with ${variables.map((one) => `\`${one}\``).join(' and ')} set.
`
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
