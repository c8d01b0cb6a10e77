import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkStructure } from '../structure/check.ts'
import { derivedManifest } from '../structure/derived.ts'
import { format } from '../structure/problem.ts'
import { readRepository } from '../structure/repository.ts'
import { core, lines, manifest, problems, sound } from './sound-repository.ts'
import { tree } from './tree.ts'

const PROGRAM = join(import.meta.dirname, '../check-structure.ts')

describe('the structure check', () => {
  it('has nothing to say about a sound repository', () => {
    expect(problems({})).toEqual([])
  })

  it('fails as a program, and names file and line', () => {
    const root = tree({ ...sound, 'packages/core/src/index.ts': '\nexport const core: any = 1\n' })
    const run = spawnSync(process.execPath, [PROGRAM, '--root', root], { encoding: 'utf8' })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain('packages/core/src/index.ts:2  `any`')
  })

  it('mends what is derived with --write, and keeps the rest', () => {
    const root = tree({
      ...sound,
      'packages/core/package.json':
        '{"publishConfig":{},"dependencies":{"zod":"^4"},"name":"@headgate/core","keywords":["gateway"]}',
    })
    execFileSync(process.execPath, [PROGRAM, '--root', root, '--write'])
    const mended = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'))
    expect(Object.keys(mended).slice(0, 2)).toEqual(['name', 'license'])
    expect(mended).toMatchObject({
      keywords: ['gateway'],
      repository: { directory: 'packages/core' },
      dependencies: { zod: '^4' },
    })
  })
})

describe('a function', () => {
  const longer = (count: number, name = 'long') =>
    `export function ${name}() {\n${'  console.log(1)\n'.repeat(count - 2)}}\n`

  it('has at most 80 lines of code', () => {
    expect(problems({ 'packages/core/src/long.ts': longer(80) })).toEqual([])
    expect(problems({ 'packages/core/src/long.ts': longer(81) })).toEqual([
      expect.stringMatching(/long\.ts:1 {2}long has 81 lines of code; the limit is 80.*\[functions\]/),
    ])
  })

  it('may have 120 when it is of a format or of the stream of an adapter', () => {
    for (const path of ['packages/core/src/formats/messages/write.ts', 'packages/providers/acme/src/chat/stream.ts']) {
      expect(problems({ [path]: longer(120) })).toEqual([])
      expect(problems({ [path]: longer(121) })).toHaveLength(1)
    }
  })

  it('may be as long as it likes in a test', () => {
    expect(problems({ 'packages/core/test/long.test.ts': longer(500) })).toEqual([])
  })

  it('has the name of what it is assigned to', () => {
    const code = `export const arrow = () => {\n${'  console.log(1)\n'.repeat(90)}}\n`
    expect(problems({ 'packages/core/src/long.ts': code })).toEqual([expect.stringContaining('arrow has 92 lines')])
  })

  it('may have as many comments and empty lines as it likes', () => {
    const commented = `export function long() {\n${'  // Why.\n\n  console.log(1)\n'.repeat(78)}}\n`
    expect(problems({ 'packages/core/src/long.ts': commented })).toEqual([])
  })
})

describe('a file', () => {
  it('spreads no object literal into another', () => {
    const text = 'export const x = { a: 1, ...{ b: 2 } }\nexport const y = { ...x, ...(x.a && { c: 3 }) }\n'
    expect(problems({ 'packages/core/src/x.ts': text })).toEqual([expect.stringMatching(/x\.ts:1.*\[spreads\]/)])
  })

  it.each([
    ['any', 'export const x = [1] as any\n'],
    ['@ts-ignore', '// @ts-ignore\nexport const x = 1\n'],
    ['@ts-expect-error', '/* @ts-expect-error */ export const x = 1\n'],
    ['does not parse', 'export const const = 1\n'],
  ])('does not give up its types: %s', (found, text) => {
    expect(problems({ 'packages/core/test/x.test.ts': text })).toEqual([
      expect.stringMatching(new RegExp(`x\\.test\\.ts.*${found}.*\\[types\\]`)),
    ])
  })

  it.each([
    'tokens * price',
    'price.input * tokens',
    '(rates[kind] ?? 0) * tokens',
    'usage.input * baseRate',
    'cost * 2',
  ])('does not count money in doubles: %s', (product) => {
    const text = `export const x = (${product})\n`
    expect(problems({ 'packages/core/src/x.ts': text })).toEqual([expect.stringMatching(/x\.ts:1.*\[money\]/)])
    expect(problems({ 'apps/server/web/x.ts': text, ...server })).toEqual([expect.stringMatching(/x\.ts:1.*\[money\]/)])
    expect(problems({ 'packages/gateway/src/cost/cost.ts': text, 'packages/core/test/x.test.ts': text })).toEqual([])
  })

  it('compares no id of a format outside the folder of formats', () => {
    const format = {
      'packages/core/src/formats/messages/index.ts': "export const is = (id: string) => id === 'messages'\n",
    }
    const by = (code: string) => ({ ...format, 'packages/gateway/src/families/chat/serve.ts': `${code}\n` })
    const found = [expect.stringMatching(/serve\.ts:1 {2}compares with 'messages'.*\[format-ids\]$/)]
    expect(problems(by("export const is = (id: string) => id !== 'messages'"))).toEqual(found)
    expect(problems(by("export const is = (id: string) => { switch (id) { case 'messages': return 1 } }"))).toEqual(
      found,
    )
    expect(problems(by("export const turns = 'messages'"))).toEqual([])
  })

  it('may multiply what is no money', () => {
    expect(problems({ 'packages/core/src/x.ts': 'export const x = (dollars * 1e9) / (operate * seconds)\n' })).toEqual(
      [],
    )
  })

  it('may speak of any and @ts-ignore in a text', () => {
    expect(problems({ 'packages/core/src/x.ts': "export const any = 'as any // @ts-ignore'\n" })).toEqual([])
  })
})

describe('a name', () => {
  it('of a type means one thing in the repository', () => {
    const files = {
      'packages/core/src/a.ts': 'export interface Call {\n  readonly id: string\n}\n',
      'packages/core/src/b.ts': 'const id = 1\ntype Call = typeof id\nexport type Other = Call\n',
      'packages/core/test/c.ts': 'type Call = 1\n',
    }
    expect(problems(files)).toEqual([expect.stringMatching(/b\.ts:2 {2}`Call` is declared in .*a\.ts.*\[type-names\]/)])
  })
})

describe('prose', () => {
  it('is plain English in comments, messages and pages', () => {
    const files = {
      'packages/core/src/a.ts': "/** What nobody is told. */\nexport const a = 'This can not be read anew.'\n",
      'docs/page.md': '# Page\n\nA `can not` in code is left out.\n\n| Cell | It is made elsewhere. |\n| --- | --- |\n',
    }
    expect(problems(files)).toEqual([
      expect.stringMatching(/page\.md:5 .*“made”/),
      expect.stringMatching(/a\.ts:1 .*docblock.*a noun phrase/),
      expect.stringMatching(/a\.ts:2 .*message: “anew”/),
    ])
  })
})

describe('an import cycle', () => {
  it('is found through any kind of import, and shown whole', () => {
    const found = problems({
      'packages/gateway/src/edge/a.ts': "import { b } from './b.ts'\nexport const a = b\n",
      'packages/gateway/src/edge/b.ts': "export * from './c.ts'\n",
      'packages/gateway/src/edge/c.ts': "\nexport type C = import('./a.ts').A\n",
    })
    expect(found).toEqual([
      expect.stringContaining(
        'c.ts:2  closes an import cycle, packages/gateway/src/edge/a.ts → packages/gateway/src/edge/b.ts → packages/gateway/src/edge/c.ts → packages/gateway/src/edge/a.ts',
      ),
    ])
  })

  it('is not two ways to one file', () => {
    expect(
      problems({
        'packages/core/src/a.ts': "import './b.ts'\nimport './c.ts'\n",
        'packages/core/src/b.ts': "import './c.ts'\n",
        'packages/core/src/c.ts': '',
      }),
    ).toEqual([])
  })
})

describe("a provider's id", () => {
  it.each([
    ['packages/core/src/x.ts', "export const x = 'acme'\n"],
    ['packages/core/src/x.ts', 'export const x = `acme`\n'],
    ['apps/server/src/x.ts', "import '@headgate/provider-acme'\n"],
    ['apps/server/web/x.ts', "export const x = 'acme'\n"],
  ])('does not occur in %s', (path, text) => {
    expect(problems({ [path]: text, ...server })).toEqual([
      expect.stringMatching(/x\.ts:1 {2}'.*acme' names an adapter.*\[provider-ids\]/),
    ])
  })

  it('may occur in comments, in tests, and where it is an ordinary word', () => {
    expect(
      problems({
        'packages/core/src/x.ts': "// Like 'acme'.\nexport const x = ['openai-compatible', 'demo']\n",
        'packages/core/test/x.test.ts': "export const x = 'acme'\n",
        ...adapter('provider', 'demo', "export const demo = { id: 'demo' }\n"),
      }),
    ).toEqual([])
  })
})

describe('an adapter', () => {
  it.each([
    ['another adapter', '@headgate/provider-other'],
    ["another adapter's files", '../../other/src/index.ts'],
    ['its tests', '../test/acme.test.ts'],
    ['a package that it does not declare', 'undici'],
    ['I/O', 'node:https'],
  ])('does not import %s', (_, specifier) => {
    const index = `import x from '${specifier}'\nexport const acme = { id: 'acme', x }\n`
    expect(problems({ 'packages/providers/acme/src/index.ts': index })).toEqual([
      expect.stringContaining(`index.ts:1  imports '${specifier}': an adapter can import @headgate/core`),
    ])
  })

  it('imports core, zod, its own files, what signing needs, and what it declares', () => {
    const specifiers = [
      '@headgate/core/provider',
      '@headgate/core/openai-compatible',
      'zod',
      './models.ts',
      'node:crypto',
      '@other/thing/deep',
    ]
    expect(
      problems({
        'packages/providers/acme/package.json': manifest('packages/providers/acme', 'provider', {
          dependencies: { '@other/thing': '^1' },
        }),
        'packages/providers/acme/src/index.ts': `${specifiers.map((from) => `import '${from}'\n`).join('')}export const acme = { id: 'acme' }\n`,
        'packages/providers/acme/src/models.ts': '',
        'packages/providers/acme/src/embed.worker.ts': "import 'node:worker_threads'\n",
      }),
    ).toEqual([])
  })

  it('holds package.json, src, test and README.md, and nothing else', () => {
    const { 'packages/providers/acme/README.md': _, ...rest } = sound
    const root = tree({
      ...rest,
      'packages/providers/acme/tsconfig.json': '{}',
      'packages/providers/acme/CHANGELOG.md': '',
      'packages/providers/acme/dist/index.js': '',
    })
    expect(checkStructure(readRepository(root)).map(format)).toEqual([
      'packages/providers/acme  has no README.md: add it  [adapter-folder]',
      expect.stringContaining('packages/providers/acme/tsconfig.json  is not allowed'),
    ])
  })

  it('has a package.json and an index.ts', () => {
    expect(problems({ 'packages/search/wide/src/other.ts': '' })).toEqual(
      expect.arrayContaining([
        expect.stringContaining('packages/search/wide  has no package.json'),
        expect.stringContaining('wide/src/index.ts  is missing'),
      ]),
    )
  })

  it('is named after its folder', () => {
    expect(problems({ 'packages/providers/acme/src/index.ts': "export const provider = { id: 'ACME' }\n" })).toEqual([
      expect.stringContaining('does not export `acme`'),
      expect.stringContaining("does not contain its id 'acme'"),
    ])
    expect(problems(adapter('search', 'wide-web', "export const wideWeb = { id: 'wide-web' }\n"))).toEqual([])
  })

  it('has at most 55 lines of code when it is OpenAI-compatible, its video family 165 in addition, and any number of models', () => {
    const preset =
      "import { openAICompatible } from '@headgate/core/openai-compatible'\nexport const acme = openAICompatible({ id: 'acme' })\n"
    const withCode = (index: number, video: number) =>
      problems({
        'packages/providers/acme/src/index.ts': preset + lines(index - 2),
        'packages/providers/acme/src/video.ts': lines(video),
        'packages/providers/acme/src/models.ts': lines(200),
      })
    expect(withCode(55, 165)).toEqual([])
    expect(withCode(56, 166)).toEqual([
      expect.stringContaining('56 lines of code in src; the limit for an OpenAI-compatible provider is 55'),
      expect.stringContaining('166 lines of code; the limit for a video family is 165'),
    ])
  })

  it('says another family, another format and who asks in files of their own, which are measured apart', () => {
    const index =
      "import { openAICompatible as f } from '@headgate/core/openai-compatible'\nexport const acme = f({ id: 'acme' })\n"
    const src = 'packages/providers/acme/src'
    const withApart = (messages: number) =>
      problems({
        [`${src}/index.ts`]: index + lines(45),
        [`${src}/messages.ts`]: lines(messages),
        [`${src}/credentials.ts`]: lines(70),
      })
    expect(withApart(35)).toEqual([])
    expect(withApart(36)).toEqual([
      expect.stringMatching(/messages.ts .*36 lines of code; the limit for this file of a provider is 35:/),
    ])
  })

  it('has at most 70 lines of code when it is a search backend', () => {
    const index = "export const wide = { id: 'wide' }\n"
    expect(problems(adapter('search', 'wide', index + lines(69)))).toEqual([])
    expect(problems(adapter('search', 'wide', index + lines(70)))).toEqual([
      expect.stringMatching(/71 lines of code in src; the limit for a search backend is 70:.*\[adapter-size\]/),
    ])
  })
})

describe('a package.json', () => {
  it.each(['license', 'repository', 'engines', 'exports', 'scripts', 'publishConfig', 'headgate', 'peerDependencies'])(
    'has the %s that follow from its place',
    (field) => {
      const path = 'packages/providers/acme/package.json'
      const changed = JSON.stringify({ ...JSON.parse(sound[path]), [field]: {} })
      expect(problems({ [path]: changed })).toEqual([
        expect.stringMatching(`^${path}  \`${field}\` is {}, expected .*--write`),
      ])
    },
  )

  it('of core depends on zod only', () => {
    const changed = JSON.stringify({ ...JSON.parse(core), dependencies: { zod: '^4', lodash: '*' } })
    expect(problems({ 'packages/core/package.json': changed })).toEqual([expect.stringContaining('depends on lodash')])
  })
})

const server = { 'apps/server/package.json': manifest('apps/server', 'app', { name: 'headgate' }) }

function adapter(kind: 'provider' | 'search', id: string, index: string): Record<string, string> {
  const folder = `packages/${kind === 'provider' ? 'providers' : 'search'}/${id}`
  return {
    [`${folder}/package.json`]: manifest(folder, kind, {}),
    [`${folder}/README.md`]: '',
    [`${folder}/test/${id}.test.ts`]: '',
    [`${folder}/src/index.ts`]: index,
  }
}

describe('the package of all adapters', () => {
  const all = (adapters: string[]) =>
    JSON.stringify({
      name: '@headgate/all',
      ...derivedManifest(folderOfAll, { zodRange: '^4', adapters, keyVariables: {} }),
    })
  const folderOfAll = {
    folder: 'packages/all',
    kind: 'library' as const,
    id: 'all',
    manifest: {},
    sources: [],
    entries: [],
  }

  it('depends on every adapter, and names it', () => {
    expect(problems({ 'packages/all/package.json': all(['@headgate/provider-acme']) })).toEqual([])
    const incomplete = problems({ 'packages/all/package.json': all([]) })
    expect(incomplete).toHaveLength(2)
    expect(incomplete.join('\n')).toContain(
      'expected {"@headgate/provider-acme":"workspace:>=0.0.0 <1"}: run `pnpm check --write`',
    )
  })
})
