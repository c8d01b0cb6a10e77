import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adapterPackage } from '../../../packages/discovery/test/support/adapter-package.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const manifest: { version: string } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))

describe('the command line', () => {
  it('says what the program can do, and its version', async () => {
    const folder = temporaryFolder()
    const [help, version, one] = await Promise.all([
      command(['--help'], { folder }),
      command(['--version'], { folder }),
      command(['keys', 'create', '--help'], { folder }),
    ])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('headgate keys revoke <id or name>')
    expect(version.stdout).toBe(`${manifest.version}\n`)
    expect(one.stdout).toContain('--expires <when>')
  })

  it.each([
    [['strat'], 'Unknown command "strat". See: headgate --help'],
    [['keys'], 'keys needs one of: keys create, keys list, keys rotate, keys take-over, keys revoke'],
    [
      ['keys', 'remove'],
      'keys needs one of: keys create, keys list, keys rotate, keys take-over, keys revoke, keys callback-secret; found "remove"',
    ],
    [['--prot', '1'], "Unknown option '--prot'. See: headgate start --help"],
    [['adapters', 'mine'], 'adapters does not accept "mine". See: headgate adapters --help'],
    [
      ['keys', 'create', '--expires', 'soon'],
      '--expires: found "soon"; allowed: 30d, 12h, 45m, or a date such as 2027-01-31',
    ],
    [['keys', 'create', '--expires', '2020-01-01'], '--expires: 2020-01-01 is in the past'],
    [['keys', 'create', '--models', 'a,,b'], '--models takes names separated by commas'],
    [['keys', 'create', '--search', ','], '--search takes names separated by commas'],
    [['keys', 'create', '--scopes', 'metrics,all'], '--scopes: found "all"; allowed: metrics'],
    [['keys', 'revoke'], 'keys revoke takes one id or name'],
    [['keys', 'revoke', 'nobody'], 'No key, or more than one, is named "nobody"'],
    [['keys', 'create', '--budget', '5/d'], '--budget: found "5/d"; allowed: US dollars and a period, such as 5/day'],
    [['keys', 'create', '--budget', '-5'], "Option '--budget' argument is ambiguous"],
    [['keys', 'create', '--budget', '0.0000000001/day'], '--budget: found "0.0000000001/day"; allowed: US dollars'],
    [
      ['keys', 'create', '--budget', '9223372036.854775808'],
      '--budget: found "9223372036.854775808"; allowed: US dollars',
    ],
    [['keys', 'create', '--budget', '5/day@Mars/Base'], '--budget: found "5/day@Mars/Base"; allowed: US dollars'],
    [['keys', 'create', '--rpm', '0'], '--rpm: found "0"; allowed: a whole number from 1 to 2147483648'],
    [['keys', 'create', '--tpm', '1e3'], '--tpm: found "1e3"; allowed: a whole number from 1'],
    [
      ['keys', 'create', '--concurrent', '2147483649'],
      '--concurrent: found "2147483649"; allowed: a whole number from 1',
    ],
    [
      ['budgets', 'sum'],
      'budgets needs one of `list, set, remove, held, release, orphaned, mark-spent, free, test-alert, alert-secret`; found "sum"',
    ],
    [['budgets', 'set', 'key:ci'], 'budgets set takes an owner and a budget: headgate budgets set key:ci 5/day.'],
    [['budgets', 'set', 'team:ci', '5'], 'Unknown owner: found "team:ci"; allowed: key:<id or name>, project:<name>'],
    [['budgets', 'set', 'key:ci', '5'], 'No key, or more than one, is named "ci"'],
    [['budgets', 'set', 'project:web', 'five'], 'the budget: found "five"; allowed: US dollars and a period'],
    [['budgets', 'set', 'project:web', '5', '--count', 'all'], '--count: found "all"; allowed: charged, cost'],
    [
      ['budgets', 'set', 'project:web', '5', '--id', 'none'],
      'There is no budget "none". List the ids with `headgate budgets`.',
    ],
    [['budgets', 'remove', 'none'], 'There is no budget "none". List the ids with `headgate budgets`.'],
    [
      ['budgets', 'mark-spent', 'none'],
      'The process "none" has no orphaned leases: it is running, was seen within the last minute, or holds nothing.',
    ],
    [['budgets', 'free'], 'budgets free takes one process. List the processes with `headgate budgets orphaned`.'],
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
    const created = await command(['keys', 'create', '--name', 'ci', '--expires', '30d', '--models', 'fast, big*'], {
      folder,
      environment,
    })
    expect(created.code).toBe(0)
    expect(created.stdout).toMatch(/^hg_p_\w{36}\n$/)

    const list = await command(['keys', 'list'], { folder, environment })
    const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    expect(list.stdout).toMatch(
      new RegExp(
        `key_\\w{10} +${created.stdout.slice(0, 9)}…${created.stdout.slice(-5, -1)} +ci +prj_default +production +\\S+ +- +valid until ${until} +fast,big\\* +none( +all){5} +none +normal +1 +parent +none +none\n`,
      ),
    )

    expect(await command(['keys', 'revoke', 'ci'], { folder, environment })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Revoked key key_\w+\.\n$/),
    })
    expect((await command(['keys', 'list', '--data-dir', 'keys'], { folder })).stdout).toMatch(
      /ci +prj_default +production +\S+ +- +revoked \d{4}/,
    )

    await command(['keys', 'create', '--name', 'any'], { folder, environment })
    await command(['keys', 'create', '--name', 'watch', '--search', 'docs', '--scopes', 'metrics'], {
      folder,
      environment,
    })
    const { stdout } = await command(['keys', 'list'], { folder, environment })
    expect(stdout).toMatch(
      /any +prj_default +production +\S+ +- +valid( +all){7} +none +normal +1 +parent +none +none\n/,
    )
    expect(stdout).toMatch(
      /watch +prj_default +production +\S+ +- +valid +none +docs( +all){5} +metrics +normal +1 +parent +none +none\n/,
    )
  })
})

describe('headgate keys create', () => {
  it('names the data directory, and says when it has made a new one', async () => {
    const folder = temporaryFolder()
    const place = (dataDir: string) => `^Created key key_\\w+ in ${join(folder, dataDir)}\\. It is not shown again\\.`
    const first = await command(['keys', 'create'], { folder })
    expect(first.stderr).toMatch(
      new RegExp(`${place('.headgate')} This folder is new: start the gateway with it .*\n$`),
    )
    const second = await command(['keys', 'create'], { folder })
    expect(second.stderr).toMatch(new RegExp(`${place('.headgate')}\n$`))
    const elsewhere = await command(['keys', 'create', '--data-dir', 'elsewhere'], { folder })
    expect(elsewhere.stderr).toMatch(new RegExp(`${place('elsewhere')} This folder is new`))
  })
})

describe('headgate models', () => {
  const CONFIG = {
    providers: {
      mine: {
        adapter: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:9/v1',
        models: ['cheap', 'unknown'],
      },
    },
    prices: { 'mine/cheap': { input: 0.005, output: 1.5 } },
  }

  it('lists what can be called, and what it costs; what is not known is said to be unknown', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': CONFIG })
    const { code, stdout } = await command(['models'], { folder })
    expect(code).toBe(0)
    const [headings, ...rows] = stdout.trimEnd().split('\n')
    expect(headings).toMatch(/^MODEL +PROVIDERS +FAMILIES +INPUTS +CONTEXT +OUTPUT +\$\/M IN +\$\/M OUT$/)
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ['cheap', 'mine', '?', '?', '?', '?', '0.0050', '1.50'],
      ['unknown', 'mine', '?', '?', '?', '?', '?', '?'],
    ])
  })

  it('takes parts of names, providers and families to choose by', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': CONFIG })
    expect((await command(['models', 'MINE', 'che'], { folder })).stdout).toMatch(/^MODEL[^\n]*\ncheap [^\n]*\n$/)
    const none = await command(['models', 'elephant'], { folder })
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'No model, provider or family matches (2 models).\n'])
  })
})

describe('headgate adapters', () => {
  it('says where each comes from, and why it is used or not', async () => {
    const folder = temporaryFolder({
      'package.json': { headgate: { adapters: ['mine'] } },
      ...adapterPackage('mine', { version: '2.3.4', config: 'apiKey: z.string()', env: { apiKey: ['MINE_API_KEY'] } }),
    })
    const without = await command(['adapters'], { folder })
    expect(without.stdout).toMatch(
      new RegExp(`provider +mine +mine +2\\.3\\.4 +off +MINE_API_KEY is not set +${folder}/mine\n`),
    )
    expect(without.stdout).toMatch(/demo +demo +\S+ +enabled +nothing else is enabled/)
    const set = await command(['adapters'], { folder, environment: { MINE_API_KEY: 'secret' } })
    expect(set.stdout).toMatch(/mine +mine +2\.3\.4 +enabled +MINE_API_KEY set/)
    expect(set.stdout).toMatch(/demo +demo +\S+ +off +enabled only as a last resort; mine is enabled/)
    expect(set.stdout).not.toContain('secret')
  })

  it('says which package would be used that is not installed, and what installs it', async () => {
    const environment = { GROQ_API_KEY: 'secret', PERPLEXITY_API_KEY: 'secret', AWS_ACCESS_KEY_ID: 'alone' }
    const bare = await command(['adapters'], { folder: temporaryFolder(), environment })
    expect(bare.stderr).toBe(
      'Not installed: groq (GROQ_API_KEY set), perplexity (PERPLEXITY_API_KEY set), perplexity search (PERPLEXITY_API_KEY set): ' +
        'npm install headgate @headgate/provider-groq @headgate/provider-perplexity @headgate/search-perplexity && npx --no-install headgate\n',
    )
    // An adapter of anybody's by that id serves it; what the configuration leaves out is not missed.
    const folder = temporaryFolder({
      'package.json': { dependencies: { headgate: '1', mine: '1' } },
      ...adapterPackage('node_modules/mine', {
        id: 'groq',
        config: 'apiKey: z.string()',
        env: { apiKey: ['GROQ_API_KEY'] },
      }),
      'restricted.json': { adapters: ['groq'] },
    })
    const own = { folder, environment: { GROQ_API_KEY: 'secret', XAI_API_KEY: 'secret' } }
    expect((await command(['adapters'], own)).stderr).toBe(
      'Not installed: xai (XAI_API_KEY set): npm install @headgate/provider-xai\n',
    )
    expect((await command(['adapters', '--config', 'restricted.json'], own)).stderr).toBe('')
  })
})

describe('headgate config', () => {
  it('prints a JSON Schema', async () => {
    const { code, stdout } = await command(['config', 'schema'], { folder: temporaryFolder() })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'Headgate configuration',
      properties: { providers: { type: 'object' } },
    })
  })

  it('checks a configuration', async () => {
    const folder = temporaryFolder({
      'headgate.config.yaml':
        'providers: { mine: { adapter: openai-compatible, baseUrl: "http://10.0.0.5:8000/v1", models: [llama-4] } }',
    })
    const { code, stdout } = await command(['config', 'check'], { folder })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /headgate\.config\.yaml: no problems found\. Providers: mine\. Search: \S+\. Engines: none\n$/,
      ),
    })
  })

  it('warns of an alias that embeds with several models, of which only the first is used', async () => {
    const own = { adapter: 'openai-compatible', baseUrl: 'http://10.0.0.5:8000/v1' }
    const folder = temporaryFolder({
      'headgate.config.json': {
        providers: {
          openai: { apiKey: 'k' },
          own: {
            ...own,
            models: {
              same: { upstream: 'd-1', is: 'text-embedding-3-small' },
              'nomic-embed-text': 'n-1',
              other: 'o-1',
            },
          },
        },
        models: {
          same: ['openai/text-embedding-3-small', 'own/same'],
          mixed: ['openai/text-embedding-3-small', 'own/same', 'openai/text-embedding-3-large', 'own/other'],
          named: ['own/other', 'own/nomic-embed-text'],
          chat: ['openai/gpt-5.4', 'own/other', 'openai/gpt-5'],
        },
      },
    })
    const { code, stdout } = await command(['config', 'check'], { folder })
    const [said, ...warnings] = stdout.trim().split('\n')
    expect([code, said]).toEqual([0, expect.stringContaining('no problems found')])
    expect(warnings).toEqual([
      'Warning: models.mixed names different embedding models, whose vectors cannot be compared. Embeddings use openai/text-embedding-3-small only, never openai/text-embedding-3-large, own/other.',
      'Warning: models.named names different embedding models, whose vectors cannot be compared. Embeddings use own/other only, never own/nomic-embed-text.',
    ])
  })

  it('warns of targets of aliases that nobody has, and of prices that nothing goes by', async () => {
    const folder = temporaryFolder({
      'headgate.config.json': {
        providers: {
          openai: { apiKey: 'k' },
          own: {
            adapter: 'openai-compatible',
            baseUrl: 'http://10.0.0.5:8000/v1',
            models: { fast: 'llama-4-8b', big: 'llama-4-70b' },
          },
          free: { adapter: 'openai-compatible', baseUrl: 'http://10.0.0.6:8000/v1' },
        },
        models: {
          good: ['openai/gpt-5.4-mini', 'gpt-5.4', 'own/fast', 'free/whatever', 'openai/gpt-9.9'],
          dead: ['own/fats', 'llama-5', 'google/gemini-3.5-flash', 'good'],
          slip: 'openai/gpt-5.4-mnii',
        },
        prices: {
          'own/llama-4-8b': { input: 1, output: 1 },
          'free/whatever': { input: 1, output: 1 },
          'openai/gpt-9.9': { input: 1, output: 1 },
          'own/llama-4-8c': { input: 1, output: 1 },
          'opnai/gpt-5.4': { input: 1, output: 1 },
          'gpt-5.4': { input: 1, output: 1 },
          'google/gemini-3.5-flash': { input: 1, output: 1 },
        },
      },
    })
    const { code, stdout } = await command(['config', 'check'], { folder })
    const [said, ...warnings] = stdout.trim().split('\n')
    expect([code, said]).toEqual([0, expect.stringContaining('no problems found')])
    const names =
      "this price is unused: its name must be <provider>/<model>, with an enabled provider and the provider's own model name"
    expect(warnings).toEqual([
      'Warning: models.dead: no provider is known to have "own/fats". Did you mean "own/fast"?',
      'Warning: models.dead: no provider is known to have "llama-5".',
      'Warning: models.dead: no provider is known to have "google/gemini-3.5-flash". The provider google is not enabled: GOOGLE_API_KEY or GEMINI_API_KEY is not set.',
      'Warning: models.dead: "good" is an alias itself, and an alias can only name models.',
      'Warning: models.slip: no provider is known to list "openai/gpt-5.4-mnii". Did you mean "openai/gpt-5.4-mini"?',
      `Warning: prices["own/llama-4-8c"]: ${names}. Did you mean "own/llama-4-8b"?`,
      `Warning: prices["opnai/gpt-5.4"]: ${names}. Did you mean "openai/gpt-5.4"?`,
      `Warning: prices["gpt-5.4"]: ${names}. Did you mean "openai/gpt-5.4"?`,
      `Warning: prices["google/gemini-3.5-flash"]: ${names}. The provider google is not enabled: GOOGLE_API_KEY or GEMINI_API_KEY is not set.`,
    ])
  })

  it('says of an adapter that is not there how to do without, and what may have been meant', async () => {
    const check = async (providers: object) =>
      (await command(['config', 'check'], { folder: temporaryFolder({ 'headgate.config.json': { providers } }) }))
        .stderr
    expect(await check({ acme: { apiKey: 'k' } })).toContain(
      'If this package does not exist and the server supports chat completions, set "adapter": "openai-compatible" and its "baseUrl" in the entry.',
    )
    expect(await check({ antrhopic: { apiKey: 'k' } })).toContain(
      'the adapter "antrhopic" is not installed. Did you mean "anthropic"?',
    )
  })

  it('says how a URL begins', async () => {
    const own = { adapter: 'openai-compatible', baseUrl: '10.0.0.5:8000/v1' }
    const folder = temporaryFolder({ 'headgate.config.json': { providers: { own } } })
    const { stderr } = await command(['config', 'check'], { folder })
    expect(stderr).toContain(
      'providers.own.baseUrl: found a string; allowed: a URL that begins with http:// or https://\n',
    )
    const environments = { HEADGATE_PUBLIC_URL: 'models.example.com', DATABASE_URL: 'mysql://x' }
    const of = await command(['config', 'check'], { folder: temporaryFolder(), environment: environments })
    expect(of.stderr).toContain(
      'HEADGATE_PUBLIC_URL: found "models.example.com"; allowed: a URL that begins with http:// or https://\n',
    )
    expect(of.stderr).toContain(
      'DATABASE_URL: found a string; allowed: a URL that begins with postgres:// or postgresql://\n',
    )
  })

  it('lists what is wrong, without a stack', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { routing: { policy: 'dearest' } } })
    for (const args of [['config', 'check'], ['start']]) {
      const { code, stdout, stderr } = await command(args, { folder })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(
        `headgate: ${folder}/headgate.config.json is wrong:\n  routing.policy: found "dearest"; allowed: "priority", "weighted", "cheapest", "fastest", "least-busy"\n`,
      )
    }
  })
})
