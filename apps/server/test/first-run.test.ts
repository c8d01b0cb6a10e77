import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { command, start } from './program.ts'
import { itAlsoWithWorkers } from './signed-in.ts'
import { temporaryFolder } from './temporary.ts'

/** The request that a printed curl command makes. */
function parseCurl(command: string): Request {
  const words = [...command.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
  const [name, url = ''] = words
  expect(name).toBe('curl')
  const after = (flag: string) => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []))
  const headers = after('-H').map((header) => header.split(': ', 2) as [string, string])
  const body = after('-d').join('')
  return new Request(url, body === '' ? { headers } : { method: 'POST', headers, body })
}

const KEY = /hg_p_\w{36}/
const LINK = /#\/first\?token=[\w-]{43}/

/** What the README shows of a first start. */
function shown(): string {
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
  return /<!-- generated:first-start -->\n```text\n([\s\S]*?)\n```/.exec(readme)?.[1] ?? ''
}

/** A banner without the line that only a program with a built dashboard has. */
function withoutDashboard(output: string): string {
  return output.replace(/^ +dashboard .*\n/m, '')
}

/** What a program has printed, with the README's words for what differs from one start to another. */
function asShown(output: string, port: string, folder: string): string {
  return output
    .replace(/^headgate \S+/, 'headgate x.y.z')
    .replaceAll(port, '8787')
    .replaceAll(folder, '/home/you/headgate')
    .replace(new RegExp(KEY, 'g'), 'hg_p_…')
    .replace(new RegExp(LINK, 'g'), '#/first?token=…')
}

describe('the first run', () => {
  it('needs no configuration: it prints a key with requests that work', async () => {
    const folder = temporaryFolder()
    const gateway = await start({ folder })
    await vi.waitUntil(() => gateway.output().includes('customsearch'), { timeout: 60_000 })
    const output = gateway.output()
    expect(output).toContain('this machine only')
    expect(output).toContain('demo (nothing else is enabled)')
    expect(output).toContain(join(folder, '.headgate'))

    const [chat = '', search = ''] = output.match(/^curl [\s\S]*?(?<!\\)\n/gm) ?? []
    const answer = await fetch(parseCurl(chat))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant' } }],
    })
    // The name that passkeys need, and the port.
    const { port } = new URL(gateway.url)
    expect(output).toMatch(
      new RegExp(
        `Create the first account with this link\\. [^\\n]*\\n\\n  http://localhost:${port}/#/first\\?token=[\\w-]{43}\\n`,
      ),
    )
    expect(shown()).not.toBe('')
    expect(withoutDashboard(asShown(output, port, folder))).toContain(withoutDashboard(shown()))
    // The first search of all finds something: Headgate's own documentation.
    expect(output).toMatch(/search +\S+ \(nothing else is enabled: Headgate's own documentation\)\n/)
    const link = expect.stringMatching(/\/docs\/[a-z-]+\.md$/)
    // Nothing is found before it is indexed, which takes longer where the machine is busy.
    await vi.waitFor(
      async () => {
        const found = await fetch(parseCurl(search))
        expect(found.status).toBe(200)
        expect(await found.json()).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ link })]) })
      },
      { timeout: 60_000 },
    )

    expect(await gateway.stop()).toBe(0)
    // Standard output has log lines only, which programs read.
    const lines = gateway.stdout().split('\n').filter(Boolean)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) })
    // Printed once, above the requests that hold it again, and in no line of the log.
    expect(gateway.output().match(new RegExp(KEY, 'g'))).toHaveLength(3)
    expect(JSON.stringify(gateway.log())).not.toMatch(KEY)
    expect(gateway.output().match(new RegExp(LINK, 'g'))).toHaveLength(1)
    expect(JSON.stringify(gateway.log())).not.toMatch(LINK)

    const again = await start({ folder })
    await vi.waitUntil(() => again.output().includes('first-link'), { timeout: 60_000 })
    await again.stop()
    expect(again.output()).not.toMatch(KEY)
    expect(again.output()).not.toMatch(LINK)
    const data = join(folder, '.headgate')
    expect(again.output()).toContain(
      `There is no account yet. Print a link to create the first one: headgate users first-link --data-dir "${data}"\n`,
    )
  })

  it('says which package would serve what the environment has a key for', async () => {
    const gateway = await startInProcess({ folder: temporaryFolder(), environment: { GROQ_API_KEY: 'secret' } })
    expect(gateway.output()).toContain(
      '  to install groq (GROQ_API_KEY set): npm install headgate @headgate/provider-groq && npx --no-install headgate\n',
    )
    await gateway.stop()
  })

  it('links to where people reach it', async () => {
    const known = await startInProcess({
      folder: temporaryFolder(),
      environment: { HEADGATE_PUBLIC_URL: 'https://headgate.example/gate/' },
    })
    expect(known.output()).toMatch(/\n {2}https:\/\/headgate\.example\/gate\/#\/first\?token=/)
  })

  it('links to it once for all workers', { tags: ['full'] }, async () => {
    const workers = await start({ folder: temporaryFolder(), args: ['--workers', '2'] })
    await vi.waitUntil(() => workers.output().includes('first account'), { timeout: 60_000 })
    expect(workers.output().match(new RegExp(LINK, 'g'))).toHaveLength(1)
  })

  it('says nothing of accounts where the configuration has none', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { accounts: false } })
    const gateway = await startInProcess({ folder })
    expect(gateway.output()).toContain('Try it')
    expect((await fetch(`${gateway.url}/api/v1/session`)).status).toBe(404)
    await gateway.stop()
    expect(gateway.output()).not.toContain('account')
  })

  itAlsoWithWorkers('says later how many keys there are, and how to make another', async (args) => {
    const folder = temporaryFolder()
    const made = await command(['keys', 'create', '--name', 'one'], { folder })
    await command(['keys', 'create', '--name', 'other'], { folder })
    await command(['keys', 'revoke', 'other'], { folder })
    const makes = `API keys cannot be shown again. Create another one: headgate keys create --data-dir "${join(folder, '.headgate')}"\n`

    for (const [environment, said] of [
      [{}, '1 API key is valid'],
      [{ HEADGATE_API_KEYS: 'sk-local-1,sk-local-2' }, '3 API keys are valid, 2 of them configured'],
    ] as const) {
      const gateway = await (args.length > 0 ? start : startInProcess)({ folder, args, environment })
      await vi.waitUntil(() => gateway.output().includes(`\n${said}. ${makes}`), { timeout: 60_000 })
      await gateway.stop()
      expect(gateway.output()).not.toContain(made.stdout.trim())
    }
  })

  it('can write the key to a file instead', async () => {
    const folder = temporaryFolder()
    const gateway = await start({ folder, args: ['--no-print-key'] })
    const file = join(folder, '.headgate/first-api-key')
    await vi.waitUntil(() => gateway.output().includes(file), { timeout: 60_000 })
    expect(gateway.output()).not.toMatch(KEY)
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    const link = join(folder, '.headgate/first-account-link')
    await vi.waitUntil(() => gateway.output().includes(link), { timeout: 60_000 })
    expect(gateway.output()).not.toMatch(LINK)
    expect((statSync(link).mode & 0o777).toString(8)).toBe('600')
    expect(readFileSync(link, 'utf8')).toMatch(/^http:\/\/localhost:\d+\/#\/first\?token=[\w-]{43}\n$/)
    const key = readFileSync(file, 'utf8').trim()
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
  })

  it('makes no key when the environment or the configuration has one', async () => {
    const configured = temporaryFolder({ 'headgate.config.json': { keys: ['sk-local'] } })
    for (const options of [
      { folder: temporaryFolder(), environment: { HEADGATE_API_KEYS: 'sk-local' } },
      { folder: configured },
    ]) {
      const gateway = await startInProcess(options)
      expect((await fetch(`${gateway.url}/v1/models`, { headers: { 'x-api-key': 'sk-local' } })).status).toBe(200)
      expect((await fetch(`${gateway.url}/v1/models`, { headers: { 'x-api-key': 'sk-other' } })).status).toBe(401)
      await gateway.stop()
      expect(gateway.output()).not.toMatch(KEY)
      expect(existsSync(join(options.folder, '.headgate/first-api-key'))).toBe(false)
    }
  })
})
