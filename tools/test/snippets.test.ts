import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../apps/server/test/program.ts'
import { API_KEY, type GatewayProcess, startGateway } from '../../apps/server/test/sdk/gateway.ts'
import { type Snippet, saidBy } from '../docs/snippets.ts'
import { PAGES, SNIPPETS } from './repository-pages.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const ADDRESS = 'http://127.0.0.1:8787'

/** What an entry without a key takes from the environment. */
const PROVIDER_KEYS = { OPENAI_API_KEY: 'a-key', ANTHROPIC_API_KEY: 'a-key', GOOGLE_API_KEY: 'a-key' }

/** Secret of a webhook, which has a form. */
const WEBHOOK_SECRET = `whsec_${'a'.repeat(32)}`

const placeOf = ({ page, line }: Snippet): string => `${page}:${line}`
const fileNameOf = ({ page, line }: Snippet): string => `${page.replaceAll(/[/.]/g, '-')}-${line}.ts`
const marked = (language: string, ...words: string[]): Snippet[] =>
  SNIPPETS.filter((snippet) => snippet.language === language && snippet.words.some((word) => words.includes(word)))

describe('the code in the documents', () => {
  let workshop: Workshop
  let gateway: GatewayProcess
  const environment = { HEADGATE_API_KEY: API_KEY }
  beforeAll(async () => {
    workshop = openWorkshop()
    workshop.write('headgate.config.json', JSON.stringify({ keys: [API_KEY], providers: { local: {} } }))
    gateway = await startGateway(workshop.path)
    for (const snippet of marked('ts', 'test', 'check'))
      workshop.write(fileNameOf(snippet), snippet.code.replaceAll(ADDRESS, gateway.url))
  })
  afterAll(async () => {
    await gateway?.end('SIGTERM')
    workshop?.remove()
  })

  it('has the types that it should have', { tags: ['full'] }, async () => {
    await expect(workshop.typeCheck()).resolves.toEqual({ stdout: '', stderr: '' })
  })

  // Of the pages behind the README that are many, whether their types are right is enough for a short run.
  describe.each([
    { name: 'README.md', options: {}, isHere: ({ page }: Snippet) => page === 'README.md' },
    { name: 'other pages', options: { tags: ['full'] }, isHere: ({ page }: Snippet) => page !== 'README.md' },
  ])('of $name', ({ options, isHere }) => {
    const placed = (language: string) =>
      marked(language, 'test')
        .filter(isHere)
        .map((snippet) => [placeOf(snippet), snippet] as const)

    it.each(placed('ts'))('runs at %s', options, async (_, snippet) => {
      const { stdout } = await workshop.node(fileNameOf(snippet), environment)
      expect(stdout).toContain(saidBy(snippet))
    })

    it.each(placed('sh'))('is a command that works at %s', options, async (_, snippet) => {
      await workshop.shell(snippet.code.replaceAll(ADDRESS, gateway.url), environment)
    })
  })

  it.each(marked('json', 'config').map((snippet) => [placeOf(snippet), snippet] as const))(
    'is a configuration at %s',
    async (_, { code }) => {
      const variables = [...code.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [
        name,
        name.endsWith('SECRET') ? WEBHOOK_SECRET : 'a-key',
      ])
      const values: Record<string, string> = { ...PROVIDER_KEYS, ...Object.fromEntries(variables) }
      workshop.write('documented.json', code)
      const args = ['config', 'check', '--config', 'documented.json']
      expect(await command(args, { folder: workshop.path, environment: values })).toMatchObject({ code: 0, stderr: '' })
    },
  )

  it('asks a gateway that answers 404 where the README says that there is nothing yet', async () => {
    const readme = PAGES.find(({ page }) => page === 'README.md')?.text ?? ''
    const paths = [...(/^\*\*Not yet\*\*[\s\S]*?\n\n/m.exec(readme)?.[0] ?? '').matchAll(/`(\/[^`]+)`/g)].map(
      ([, path]) => path,
    )
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths) {
      const answer = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}` },
      })
      expect(answer.status, path).toBe(404)
    }
  })

  it('has Python that asks the same gateway as the rest', () => {
    const python = SNIPPETS.filter(({ language }) => language === 'python')
    expect(python).not.toEqual([])
    for (const { code } of python) {
      const path = code.includes('OpenAI(') ? '/v1' : code.includes('Ark(') ? '/api/v3' : ''
      expect(code).toContain(`(base_url="${ADDRESS}${path}", api_key=os.environ["HEADGATE_API_KEY"])`)
    }
  })
})

describe('a shell that tests documents', () => {
  it('fails where a command fails, so that a wrong document is found', async () => {
    const workshop = openWorkshop()
    await expect(workshop.shell('headgate keys revoke nobody\necho never')).rejects.toMatchObject({ code: 2 })
    await expect(workshop.node(workshop.write('wrong.mjs', 'process.exit(3)'))).rejects.toMatchObject({ code: 3 })
    workshop.remove()
  })
})
