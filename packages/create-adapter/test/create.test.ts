import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { create } from '../src/index.ts'

const ACME = ['acme', '--base-url', 'https://api.acme.example/v1/']

/** What the sources of an adapter may use of Node. */
const NODE = `import { createHmac } from 'node:crypto'
export const signature: string = createHmac('sha256', process.env['ACME_KEY'] ?? '').update(Buffer.from('a')).digest('hex')
`

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-create-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Gives the command, where somebody gives these answers, or where nobody is there to be asked. */
async function run(args: readonly string[], answers?: readonly string[], where = folder()) {
  const left = [...(answers ?? [])]
  const asked: string[] = []
  const said = { out: '', error: '' }
  const code = await create(args, {
    folder: where,
    ask:
      answers &&
      (async (question) => {
        asked.push(question)
        return left.shift() ?? ''
      }),
    print: (text) => {
      said.out += text
    },
    note: (text) => {
      said.error += text
    },
  })
  const read = (path: string) => readFileSync(join(where, path), 'utf8')
  return { code, ...said, asked, where, read }
}

describe('npm create headgate-adapter', () => {
  it('lays down a package that depends on nothing around it', async () => {
    const { code, out, error, where, read } = await run([...ACME, '--docs', 'https://docs.acme.example'])
    expect([code, error]).toEqual([0, ''])
    const files = [
      'package.json',
      'README.md',
      'tsconfig.json',
      'tsconfig.build.json',
      '.gitignore',
      'src/index.ts',
      'test/acme.test.ts',
    ]
    expect(out.split('\n\n')[0]?.split('\n')).toEqual(files)
    for (const file of files) expect(existsSync(join(where, 'headgate-provider-acme', file))).toBe(true)
    expect(out).toContain('cd headgate-provider-acme\n  npm install\n  npm test\n')

    expect(read('headgate-provider-acme/src/index.ts')).toContain(
      "export const acme = openAICompatible({\n  id: 'acme',\n  title: 'Acme',\n  baseUrl: 'https://api.acme.example/v1',",
    )
    expect(read('headgate-provider-acme/README.md')).toContain(
      'npm install headgate-provider-acme\nACME_API_KEY=… npx --no-install headgate',
    )
    const { name, headgate, peerDependencies, devDependencies } = JSON.parse(
      read('headgate-provider-acme/package.json'),
    )
    expect({ name, headgate }).toEqual({ name: 'headgate-provider-acme', headgate: { adapter: 'provider' } })
    // Ranges that a registry knows, and core's own of zod.
    const core = JSON.parse(readFileSync(join(import.meta.dirname, '../../core/package.json'), 'utf8'))
    expect(peerDependencies).toEqual({ '@headgate/core': '>=0.1.0 <1', zod: core.dependencies.zod })
    expect(devDependencies).toEqual({
      '@headgate/conformance': '>=0.1.0 <1',
      '@headgate/core': '>=0.1.0 <1',
      '@types/node': expect.stringMatching(/^\^24\b/),
      typescript: expect.stringMatching(/^\^\d/),
      vitest: expect.stringMatching(/^\^\d/),
      zod: core.dependencies.zod,
    })
  })

  it('knows the types of Node in sources and tests', async () => {
    const { where } = await run(ACME)
    const path = join(where, 'headgate-provider-acme')
    mkdirSync(join(path, 'node_modules/@types'), { recursive: true })
    symlinkSync(
      realpathSync(join(import.meta.dirname, '../../../node_modules/@types/node')),
      join(path, 'node_modules/@types/node'),
    )
    writeFileSync(join(path, 'src/node.ts'), NODE)
    writeFileSync(
      join(path, 'tsconfig.node.json'),
      JSON.stringify({ extends: './tsconfig.json', include: ['src/node.ts'] }),
    )
    const tsc = join(import.meta.dirname, '../node_modules/.bin/tsc')
    const { status, stdout } = spawnSync(tsc, ['-p', 'tsconfig.node.json'], { cwd: path, encoding: 'utf8' })
    expect([stdout, status]).toEqual(['', 0])
  })

  it.each([
    ['--preset', 'openAICompatible(', 'provider'],
    ['--codec', "from './codec.ts'", 'provider'],
    ['--signed', 'clientCredentials(', 'provider'],
    ['--search', 'defineSearchBackend(', 'search'],
    ['--sink', 'defineSink(', 'sink'],
  ])('takes %s', async (flag, part, kind) => {
    const { code, read } = await run([...ACME, flag, '--name', '@acme/headgate', '--folder', 'adapter'])
    expect(code).toBe(0)
    expect(read('adapter/src/index.ts')).toContain(part)
    expect(JSON.parse(read('adapter/package.json'))).toMatchObject({
      name: '@acme/headgate',
      headgate: { adapter: kind },
    })
  })

  it('asks for what is left out, again where the answer can not be', async () => {
    const { code, asked, read } = await run([], ['6', '4', 'Acme', 'acme-find', 'https://api.acme.example', ''])
    expect(code).toBe(0)
    expect(asked.map((question) => question.split('\n').at(-1))).toEqual([
      '(1): ',
      '(1): ',
      'Id of the adapter, as in the vendor header (acme): ',
      'Id of the adapter, as in the vendor header (acme): ',
      'Base URL of the API (https://api.acme.example/v1): ',
      'URL of the API documentation (optional): ',
    ])
    expect(asked[1]).toContain("'6' is not a choice. Enter a number from 1 to 5.")
    expect(asked[3]).toContain("'Acme' is not a valid id")
    expect(read('headgate-search-acme-find/src/index.ts')).toContain("id: 'acme-find'")
  })

  it.each([
    ['no id, and nobody to ask', [], 'usage: npm create headgate-adapter'],
    ['no base URL, and nobody to ask', ['acme'], 'usage: npm create headgate-adapter'],
    ['two templates', [...ACME, '--codec', '--search'], '--codec and --search exclude each other.'],
    ['the word for routing', ['auto', '--base-url', 'https://acme.example'], "'auto' is not a valid id"],
    ['a base URL that is none', ['acme', '--base-url', 'acme'], "'acme' is not a valid URL"],
    ['a name that no package can have', [...ACME, '--name', '../acme'], "'../acme' is not a valid package name."],
    ['a flag that there is not', [...ACME, '--fast'], "Unknown option '--fast'"],
  ])('writes nothing when it is given %s', async (_, args, message) => {
    const { code, error, where } = await run(args)
    expect(code).toBe(1)
    expect(error).toContain(message)
    expect(existsSync(join(where, 'headgate-provider-acme'))).toBe(false)
  })

  it('leaves a folder alone that holds something', async () => {
    const where = folder()
    await run(ACME, undefined, where)
    writeFileSync(join(where, 'headgate-provider-acme/src/index.ts'), 'mine')
    const { code, error, read } = await run(ACME, undefined, where)
    expect([code, read('headgate-provider-acme/src/index.ts')]).toEqual([1, 'mine'])
    expect(error).toContain('already exists and is not empty')
  })
})
