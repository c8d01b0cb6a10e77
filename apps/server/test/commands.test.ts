import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adapterPackage } from './adapter-package.ts'
import { command, run } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const manifest: { version: string } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))

describe('the command line', () => {
  it('says what the program can do, and its version', async () => {
    const folder = temporaryFolder()
    const [help, version, one] = await Promise.all([
      command(['--help'], { folder }),
      run(['--version'], { folder }),
      command(['keys', 'create', '--help'], { folder }),
    ])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('headgate keys revoke <id or name>')
    expect(version.stdout).toBe(`${manifest.version}\n`)
    expect(one.stdout).toContain('--expires <when>')
  })

  it.each([
    [['strat'], 'Unknown command "strat". See: headgate --help'],
    [['keys'], 'keys needs one of: keys create, keys list, keys revoke'],
    [['keys', 'remove'], 'keys needs one of: keys create, keys list, keys revoke; found "remove"'],
    [['--prot', '1'], "Unknown option '--prot'. See: headgate start --help"],
    [['adapters', 'mine'], 'adapters does not know "mine". See: headgate adapters --help'],
    [['keys', 'create', '--expires', 'soon'], '--expires: found "soon"; allowed: 30d, 12h, 45m, or a date such as 2027-01-31'],
    [['keys', 'create', '--expires', '2020-01-01'], '--expires: 2020-01-01 is in the past'],
    [['keys', 'create', '--models', 'a,,b'], '--models takes names with commas between them'],
    [['keys', 'create', '--search', ','], '--search takes names with commas between them'],
    [['keys', 'create', '--scopes', 'metrics,all'], '--scopes: found "all"; allowed: metrics'],
    [['keys', 'revoke'], 'keys revoke takes one id or name'],
    [['keys', 'revoke', 'nobody'], 'No key, or more than one, is called "nobody"'],
    [['usage', '--last', 'all'], '--last: found "all"; allowed: a number above 0'],
  ])('%o is a mistake, told in one line', async (args, message) => {
    const { code, stdout, stderr } = await command(args, { folder: temporaryFolder() })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`headgate: ${message}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('headgate keys', () => {
  it('makes, lists and revokes', async () => {
    const folder = temporaryFolder()
    const environment = { HEADGATE_DATA_DIR: 'keys' }
    const created = await command(['keys', 'create', '--name', 'ci', '--expires', '30d', '--models', 'fast, big*'], { folder, environment })
    expect(created.code).toBe(0)
    expect(created.stdout).toMatch(/^sk-hg-\w{40}\n$/)

    const list = await command(['keys', 'list'], { folder, environment })
    const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    expect(list.stdout).toMatch(
      new RegExp(`key_\\w{10} +${created.stdout.slice(0, 10)}… +ci +\\S+ +valid until ${until} +fast,big\\* +none +none\n`),
    )

    expect(await command(['keys', 'revoke', 'ci'], { folder, environment })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Revoked key key_\w+\.\n$/),
    })
    expect((await command(['keys', 'list', '--data-dir', 'keys'], { folder })).stdout).toMatch(/ci +\S+ +revoked \d{4}/)

    await command(['keys', 'create', '--name', 'any'], { folder, environment })
    await command(['keys', 'create', '--name', 'watch', '--search', 'docs', '--scopes', 'metrics'], { folder, environment })
    const { stdout } = await command(['keys', 'list'], { folder, environment })
    expect(stdout).toMatch(/any +\S+ +valid +all +all +none\n/)
    expect(stdout).toMatch(/watch +\S+ +valid +none +docs +metrics\n/)
  })
})

describe('headgate adapters', () => {
  it('says where each comes from, and why it is used or not', async () => {
    const folder = temporaryFolder({
      'package.json': { headgate: { adapters: ['mine'] } },
      ...adapterPackage('mine', { version: '2.3.4', config: 'apiKey: z.string()', env: { apiKey: ['MINE_API_KEY'] } }),
    })
    const without = await command(['adapters'], { folder })
    expect(without.stdout).toMatch(new RegExp(`provider +mine +mine +2\\.3\\.4 +off +MINE_API_KEY is not set +${folder}/mine\n`))
    expect(without.stdout).toMatch(/demo +demo +\S+ +enabled +nothing else is enabled/)
    const set = await command(['adapters'], { folder, environment: { MINE_API_KEY: 'secret' } })
    expect(set.stdout).toMatch(/mine +mine +2\.3\.4 +enabled +MINE_API_KEY set/)
    expect(set.stdout).toMatch(/demo +demo +\S+ +off +only while nothing else is enabled; mine is/)
    expect(set.stdout).not.toContain('secret')
  })
})

describe('headgate config', () => {
  it('prints a JSON Schema', async () => {
    const { code, stdout } = await command(['config', 'schema'], { folder: temporaryFolder() })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ title: 'Headgate configuration', properties: { providers: { type: 'object' } } })
  })

  it('checks a configuration', async () => {
    const folder = temporaryFolder({
      'headgate.config.yaml': 'providers: { mine: { adapter: openai-compatible, baseUrl: "http://10.0.0.5:8000/v1", models: [llama-4] } }',
    })
    const { code, stdout } = await command(['config', 'check'], { folder })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/headgate\.config\.yaml: nothing is wrong\. Providers: mine\. Search: \S+\. Engines: none\n$/),
    })
  })

  it('warns of an alias that embeds with several models, of which only the first is used', async () => {
    const own = { adapter: 'openai-compatible', baseUrl: 'http://10.0.0.5:8000/v1' }
    const folder = temporaryFolder({
      'headgate.config.json': {
        providers: {
          openai: { apiKey: 'k' },
          own: { ...own, models: { same: { upstream: 'd-1', is: 'text-embedding-3-small' }, 'nomic-embed-text': 'n-1', other: 'o-1' } },
        },
        models: {
          same: ['openai/text-embedding-3-small', 'own/same'],
          mixed: ['openai/text-embedding-3-small', 'own/same', 'openai/text-embedding-3-large', 'own/other'],
          named: ['own/other', 'own/nomic-embed-text'],
          chat: ['openai/gpt-5.4', 'own/other', 'openai/gpt-5'],
        },
      },
    })
    const { code, stdout } = await run(['config', 'check'], { folder })
    const [said, ...warnings] = stdout.trim().split('\n')
    expect([code, said]).toEqual([0, expect.stringContaining('nothing is wrong')])
    expect(warnings).toEqual([
      'Warning: models.mixed names different embedding models, whose vectors can not be compared. Embeddings use openai/text-embedding-3-small only, never openai/text-embedding-3-large, own/other.',
      'Warning: models.named names different embedding models, whose vectors can not be compared. Embeddings use own/other only, never own/nomic-embed-text.',
    ])
  })

  it('lists what is wrong, without a stack', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { routing: { policy: 'cheapest' } } })
    for (const args of [['config', 'check'], ['start']]) {
      const { code, stdout, stderr } = await command(args, { folder })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(`headgate: ${folder}/headgate.config.json is wrong:\n  routing.policy: found "cheapest"; allowed: "priority"\n`)
    }
  })
})
