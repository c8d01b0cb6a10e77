import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slug } from '../../apps/docs/build/links.ts'
import { geminiCli } from '../../e2e/agents/gemini-cli.ts'
import { fillBlocks } from '../docs/blocks.ts'
import { formatsTable, type Pairs } from '../docs/formats.ts'
import { generateDocs } from '../docs/generate.ts'
import { fileOf } from '../docs/snippets.ts'
import { PAGES, ROOT, SNIPPETS } from './repository-pages.ts'
import { tree } from './tree.ts'

function generate(...args: string[]) {
  return spawnSync(process.execPath, ['--conditions=@headgate/source', join(ROOT, 'tools/generate-docs.ts'), ...args], {
    encoding: 'utf8',
  })
}

describe('the documents', () => {
  it('have in their generated blocks what the code says: `pnpm generate-docs` writes them', async () => {
    expect(await generateDocs(ROOT, true)).toEqual([])
  })

  it('link to files and headings that are there', () => {
    const broken = PAGES.flatMap(({ page, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].flatMap(([link, path = '', anchor]) => {
        const target = path === '' ? page : join(dirname(page), path)
        if (!existsSync(join(ROOT, target))) return [`${page}: ${link}`]
        return anchor === undefined || headingsOf(target).includes(anchor) ? [] : [`${page}: ${link}`]
      }),
    )
    expect(broken).toEqual([])
  })

  it('say above a block of code how to install what it imports', () => {
    const missing = SNIPPETS.filter(({ language }) => language === 'ts' || language === 'js').flatMap(
      ({ page, line, code }) => {
        const installed = installedAbove(page, line)
        return importsOf(code).flatMap((name) => (installed.includes(name) ? [] : [`${page}:${line} ${name}`]))
      },
    )
    expect(missing).toEqual([])
  })

  it('name the flags without which a tried agent does not work in a folder that it has not seen', () => {
    const agents = PAGES.find(({ page }) => page === 'docs/agents.md')?.text
    const { args } = geminiCli.launch({ prompt: '', url: '', apiKey: '', model: '', question: '', answer: '' })
    expect(args).toContain('--skip-trust')
    expect(agents).toContain('`--skip-trust`')
  })

  it('say of every block of code how it is tested', () => {
    const ways: Readonly<Record<string, readonly string[]>> = { ts: ['test', 'check'], js: [], json: ['config'] }
    const untested = SNIPPETS.filter((snippet) => {
      const allowed = ways[snippet.language]
      return allowed && fileOf(snippet) === undefined && !snippet.words.some((word) => allowed.includes(word))
    })
    expect(untested.map(({ page, line }) => `${page}:${line}`)).toEqual([])
  })
})

/** A command that installs, in a block or in a sentence. */
const INSTALLS = /npm install ([^`\n#]+)/g
const IMPORTS = /(?:^import|^} from|^export) .*?['"]((?:@[\w-]+\/)?[\w-]+)(?:\/[\w/-]+)?['"]$/gm

/** The packages that a block of a page imports. */
function importsOf(code: string): string[] {
  return [...code.matchAll(IMPORTS)].map(([, name = '']) => name)
}

/** The packages that a page says how to get above a line: by a command, or in a package.json. */
function installedAbove(page: string, line: number): string[] {
  const text = PAGES.find((one) => one.page === page)?.text ?? ''
  const above = text
    .split('\n')
    .slice(0, line - 1)
    .join('\n')
  const commands = [...above.matchAll(INSTALLS)].flatMap(([, names = '']) =>
    names.split(/\s+/).filter((name) => !name.startsWith('-')),
  )
  const manifests = SNIPPETS.filter(
    (one) => one.page === page && one.line < line && one.language === 'json' && /ependencies"/.test(one.code),
  )
  return [...commands, ...manifests.flatMap(({ code }) => dependenciesOf(JSON.parse(code)))]
}

function dependenciesOf({
  dependencies,
  devDependencies,
  peerDependencies,
}: Record<string, object | undefined>): string[] {
  return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
}

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading))
}

describe('pnpm generate-docs', () => {
  const page = (text: string) => `# Hints\n\n<!-- generated:hints -->\n${text}\n<!-- /generated:hints -->\n\nThe end.\n`

  it('names a page that is stale, and writes it', { tags: ['full'] }, async () => {
    const root = tree({ 'README.md': page('old'), 'docs/other.md': 'Nothing is generated here.\n' })
    expect(generate('--check', '--root', root)).toMatchObject({
      status: 1,
      stderr: 'README.md is stale: run `pnpm generate-docs`.\n',
    })

    expect(await generateDocs(root, false)).toEqual(['README.md'])
    const written = readFileSync(join(root, 'README.md'), 'utf8')
    expect(written).toMatch(
      /^# Hints\n\n<!-- generated:hints -->\n\| field \|[\s\S]*`cache_control`[\s\S]*\n<!-- \/generated:hints -->\n\nThe end\.\n$/,
    )
    expect(await generateDocs(root, true)).toEqual([])
  })

  it('refuses a block that nobody writes, and one that does not end', async () => {
    const writers = { hints: () => 'new' }
    await expect(fillBlocks('<!-- generated:nothing -->\n<!-- /generated:nothing -->', writers)).rejects.toThrow(
      'Nothing writes the block "nothing"',
    )
    await expect(fillBlocks('<!-- generated:hints -->\nold', writers)).rejects.toThrow('The block "hints" does not end')
    expect(await fillBlocks(page('old'), writers)).toBe(page('new'))
  })
})

describe('the table of formats', () => {
  const pairs = (unary: boolean): Pairs => ({
    callers: ['messages'],
    providers: ['chat-completions'],
    cells: [
      { caller: 'messages', provider: 'chat-completions', scenario: 'text', unary: true, stream: true },
      { caller: 'messages', provider: 'chat-completions', scenario: 'pdf', unary, stream: true },
    ],
  })

  it('claims what every test has shown, and counts where one has not', () => {
    expect(formatsTable(pairs(true))).toContain('| whole, streamed |')
    expect(formatsTable(pairs(false))).toContain('| whole: 1 of 2, streamed |')
  })
})
