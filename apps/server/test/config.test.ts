import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findConfigFile } from '../src/config/file.ts'
import { configJsonSchema } from '../src/config/schema.ts'
import { type Flags, loadSettings } from '../src/config/settings.ts'
import { defineConfig } from '../src/index.ts'
import { processLimits } from '../src/service/serving.ts'
import { temporaryFolder } from './temporary.ts'

type Environment = Record<string, string>

/** A variable as a configuration writes it. */
const variable = (name: string) => `\${${name}}`

function load(folder: string, environment: Environment = {}, flags: Flags = {}) {
  return loadSettings(flags, { folder, environment })
}

async function problem(content: unknown, environment: Environment = {}): Promise<string> {
  const folder = temporaryFolder({ 'headgate.config.json': content })
  const error: unknown = await load(folder, environment).catch((thrown: unknown) => thrown)
  if (!(error instanceof Error)) throw new Error('The configuration was accepted.')
  return error.message.replaceAll(`${folder}/`, '')
}

describe('settings without a file', () => {
  it('listen on port 8787 of this machine and keep data beside where the command was given', async () => {
    const folder = temporaryFolder()
    expect(await load(folder)).toEqual({
      config: {},
      port: 8787,
      host: '127.0.0.1',
      workers: 1,
      dataDir: join(folder, '.headgate'),
      logLevel: 'info',
      keys: [],
      conventions: '1.41',
    })
  })

  it('come from the environment, where an empty variable counts as absent', async () => {
    const folder = temporaryFolder()
    const environment = {
      PORT: '9000',
      HOST: '',
      HEADGATE_DATA_DIR: 'data',
      LOG_LEVEL: 'warn',
      HEADGATE_API_KEYS: ' sk-local-one, sk-local-two,',
      HEADGATE_CONFIG: '',
    }
    const settings = await load(folder, { ...environment, HEADGATE_PUBLIC_URL: 'https://models.example.com' })
    expect(settings).toMatchObject({ port: 9000, host: '127.0.0.1', dataDir: join(folder, 'data'), logLevel: 'warn' })
    expect(settings.keys).toEqual([{ key: 'sk-local-one' }, { key: 'sk-local-two' }])
    expect(settings.publicUrl).toBe('https://models.example.com')
  })

  it.each([
    [{ PORT: 'http' }, 'PORT: found "http"; allowed: a number'],
    [{ PORT: '70000' }, 'PORT: found "70000"; allowed: at most 65535'],
    [{ HEADGATE_WORKERS: '0' }, 'HEADGATE_WORKERS: found "0"; allowed: at least 1'],
    [{ HEADGATE_WORKERS: '65' }, 'HEADGATE_WORKERS: found "65"; allowed: at most 64'],
    [{ HEADGATE_WORKERS: 'many' }, 'HEADGATE_WORKERS: found "many"; allowed: a number or "auto"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: found "loud"; allowed: "trace", "debug", "info"'],
    [{ HEADGATE_PUBLIC_URL: 'models' }, 'HEADGATE_PUBLIC_URL: found "models"; allowed: a URL'],
  ])('refuse %o', async (environment, message) => {
    await expect(load(temporaryFolder(), environment)).rejects.toThrow(message)
  })

  it('never show a key that is refused', async () => {
    const error: unknown = await load(temporaryFolder(), { HEADGATE_API_KEYS: 'very secret' }).catch(
      (thrown: unknown) => thrown,
    )
    expect(String(error)).toContain('HEADGATE_API_KEYS: found a string; allowed: 8 to 512 visible')
    expect(String(error)).not.toContain('secret')
  })
})

describe('a configuration file', () => {
  it('yields to the environment, and both to flags', async () => {
    const folder = temporaryFolder({
      'headgate.config.json': { server: { port: 1, host: 'file' }, log: { level: 'error' } },
    })
    expect(await load(folder)).toMatchObject({
      port: 1,
      host: 'file',
      logLevel: 'error',
      file: join(folder, 'headgate.config.json'),
    })
    expect(await load(folder, { PORT: '2', HOST: 'environment' }, { port: '3' })).toMatchObject({
      port: 3,
      host: 'environment',
    })
  })

  it('may be JSON, YAML or a module', async () => {
    const config = {
      models: { fast: ['a/one', 'b/two'] },
      keys: ['sk-local', { key: 'sk-other', name: 'team', models: ['a*'] }],
    }
    const keys = [{ key: 'sk-local' }, { key: 'sk-other', name: 'team', models: ['a*'] }]
    const files = {
      'headgate.config.json': config,
      'headgate.config.yaml':
        'models:\n  fast: [a/one, b/two]\nkeys:\n  - sk-local\n  - { key: sk-other, name: team, models: [a*] }\n',
      'headgate.config.mjs': `export default ${JSON.stringify(config)}`,
      'headgate.config.ts': `const config: { models: unknown } = ${JSON.stringify(config)}\nexport default config`,
    }
    for (const [name, content] of Object.entries(files)) {
      const settings = await load(temporaryFolder({ [name]: content }))
      expect(settings.config.models).toEqual(config.models)
      expect(settings.keys).toEqual(keys)
    }
  })

  it('that is a module and has changed is read anew by who reads it again', async () => {
    const folder = temporaryFolder({ 'headgate.config.mjs': 'export default { keys: ["sk-local-one"] }' })
    expect((await load(folder)).keys).toEqual([{ key: 'sk-local-one' }])
    writeFileSync(join(folder, 'headgate.config.mjs'), 'export default { keys: ["sk-local-two"] }')
    expect((await load(folder)).keys).toEqual([{ key: 'sk-local-two' }])
  })

  it('says how many workers serve; `auto` is one a core', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { server: { workers: 3 } } })
    expect((await load(folder)).workers).toBe(3)
    expect((await load(folder, { HEADGATE_WORKERS: '2' })).workers).toBe(2)
    expect((await load(folder, { HEADGATE_WORKERS: 'auto' }, { workers: '4' })).workers).toBe(4)
    expect((await load(folder, { HEADGATE_WORKERS: 'auto' })).workers).toBe(Math.min(64, availableParallelism()))
  })

  it('limits the program, of which each worker has its part, and a part that no body fits into is refused', async () => {
    expect(
      processLimits(
        {
          connections: 100,
          memory: 900,
          keyMemory: 300,
          keyUploads: 60,
          waiting: 30,
          concurrent: 9,
          queue: 60,
          uploads: 90,
          body: 300,
        },
        3,
      ),
    ).toEqual({
      connections: 33,
      memory: 300,
      keyMemory: 100,
      keyUploads: 20,
      waiting: 10,
      concurrent: 3,
      queue: 20,
      uploads: 30,
      body: 300,
    })
    expect(processLimits({}, 4)).toEqual({ connections: 2_500, uploads: 2 * 1024 ** 3 })
    expect(processLimits({ connections: 2 }, 4)).toMatchObject({ connections: 1 })
    const small = { server: { workers: 4 }, limits: { memory: 1_000, body: 300 } }
    expect(await problem(small)).toContain('limits.memory: found 1000; allowed: at least 2400')
    const narrow = { server: { workers: 4 }, limits: { upload: 1_000, uploads: 3_999 } }
    expect(await problem(narrow)).toContain('limits.uploads: found 3999; allowed: at least 4000')
    const own = { server: { workers: 4 }, limits: { upload: 1_000, keyUploads: 3_999 } }
    expect(await problem(own)).toContain('limits.keyUploads: found 3999; allowed: at least 4000')
  })

  it('may lie elsewhere', async () => {
    const folder = temporaryFolder({ 'deploy/gateway.yaml': 'server: { port: 4 }' })
    expect(await load(folder, { HEADGATE_CONFIG: 'deploy/gateway.yaml' })).toMatchObject({ port: 4 })
    await expect(load(folder, { HEADGATE_CONFIG: 'deploy/other.yaml' })).rejects.toThrow('There is no other.yaml')
    await expect(load(folder, {}, { config: 'deploy' })).rejects.toThrow('unknown file ending (none)')
  })

  it('is one, and of an ending that is read', async () => {
    const two = temporaryFolder({ 'headgate.config.json': {}, 'headgate.config.yaml': '' })
    await expect(load(two)).rejects.toThrow('Two configuration files')
    const strange = temporaryFolder({ 'headgate.config.yml': '' })
    await expect(load(strange)).rejects.toThrow(
      'headgate.config.yml is not a supported configuration file. Rename it to one of headgate.config.ts, headgate.config.mjs',
    )
  })

  // Only root can give a file to another user.
  it.runIf(process.getuid?.() === 0)('of another user is not read where everybody may put one', () => {
    const folder = temporaryFolder({ 'headgate.config.json': {} })
    const file = join(folder, 'headgate.config.json')
    chownSync(file, 4711, 4711)
    expect(findConfigFile(folder)).toBe(file)
    chmodSync(folder, 0o1777)
    expect(() => findConfigFile(folder)).toThrow(
      'belongs to another user (uid 4711), in a folder that all users can write to',
    )
  })

  it('may be empty', async () => {
    expect(await load(temporaryFolder({ 'headgate.config.yaml': '# nothing yet\n' }))).toMatchObject({ port: 8787 })
  })

  it('takes values from the environment', async () => {
    const folder = temporaryFolder({
      'headgate.config.json': {
        providers: { mine: { baseUrl: `http://${variable('HOST_NAME')}:${variable('HOST_PORT')}/v1` } },
      },
    })
    const { config } = await load(folder, { HOST_NAME: 'models', HOST_PORT: '80' })
    expect(config.providers).toEqual({ mine: { baseUrl: 'http://models:80/v1' } })
  })

  it('need not have the values of a provider that is switched off', async () => {
    const folder = temporaryFolder({
      'headgate.config.json': { providers: { mine: { apiKey: variable('MINE'), enabled: false } } },
    })
    expect((await load(folder)).config.providers?.['mine']?.enabled).toBe(false)
  })

  it('need not have those of a search backend that is switched off, but those of all others', async () => {
    const search = { backends: { mine: { apiKey: variable('MINE'), enabled: false } } }
    const settings = await load(temporaryFolder({ 'headgate.config.json': { search } }))
    expect(settings.config.search?.backends?.['mine']?.enabled).toBe(false)

    const engines = { enabled: { backend: 'mine', path: variable('FOLDER') } }
    const folder = temporaryFolder({ 'headgate.config.json': { search: { engines } } })
    await expect(load(folder)).rejects.toThrow(
      'search.engines.enabled.path: the environment variable FOLDER is not set',
    )
    expect((await load(folder, { FOLDER: '/docs' })).config.search?.engines).toEqual({
      enabled: { backend: 'mine', path: '/docs' },
    })
  })

  it('is typed by defineConfig, which changes nothing', () => {
    const config = { routing: { policy: 'priority' as const } }
    expect(defineConfig(config)).toBe(config)
  })
})

describe('a wrong configuration', () => {
  it.each([
    [
      'a field that does not exist',
      { server: { prot: 1 } },
      'server.prot: unknown field; allowed: port, workers, host, origins',
    ],
    [
      'origins at the top',
      { origins: ['https://chat.example.com'] },
      'origins: moved to server.origins, which lists exact origins',
    ],
    [
      'a wildcard origin',
      { server: { origins: ['https://*.example.com'] } },
      'server.origins[0]: is not an exact origin; allowed: scheme,',
    ],
    [
      'the origin null',
      { server: { origins: ['https://a.example', 'null'] } },
      'server.origins[1]: is not an exact origin',
    ],
    ['a bare scheme', { server: { origins: ['app://'] } }, 'server.origins[0]: is not an exact origin'],
    [
      'a part that does not exist',
      { serach: {} },
      'serach: unknown field; allowed: keys, tokens, providers, search, adapters, models, routing',
    ],
    [
      'a field of search that does not exist',
      { search: { backend: {} } },
      'search.backend: unknown field; allowed: default, backends',
    ],
    [
      'a name of a search backend that no header could say',
      { search: { backends: { 'My Index': {} } } },
      'search.backends["My Index"]: this name is not allowed; allowed: a name of lower-case',
    ],
    [
      'an engine without a backend',
      { search: { engines: { 'partner-pub-1:2/x': { title: 'Docs' } } } },
      'search.engines["partner-pub-1:2/x"].backend: is missing; allowed: a string',
    ],
    [
      'a site of an engine that is none',
      { search: { engines: { docs: { backend: 'local', sites: ['example.com', 'site:example.com'] } } } },
      'search.engines.docs.sites[1]: found a string; allowed: a host, or one with a path, such as example.com/docs',
    ],
    [
      'a price below nothing',
      { search: { backends: { mine: { price: -1 } } } },
      'search.backends.mine.price: found a number; allowed: at least 0',
    ],
    [
      'a cache of a negative time',
      { search: { cache: { seconds: -1 } } },
      'search.cache.seconds: found -1; allowed: at least 0',
    ],
    [
      'a field of an entry of a list',
      { keys: [{ key: 'sk-local', nam: 'x' }] },
      'keys[0].nam: unknown field; allowed: key, name, environment, models',
    ],
    [
      'a field of a named entry',
      { prices: { 'a/b': { input: 1, output: 2, cash: 3 } } },
      'prices["a/b"].cash: unknown field; allowed: input, output, cacheRead',
    ],
    [
      'a word that is not among the allowed',
      { routing: { policy: 'dearest' } },
      'routing.policy: found "dearest"; allowed: "priority", "weighted", "cheapest", "fastest", "least-busy"',
    ],
    ['a number that is too large', { server: { port: 99999 } }, 'server.port: found 99999; allowed: at most 65535'],
    ['a number with a fraction', { times: { whole: 1.5 } }, 'times.whole: found 1.5; allowed: a whole number'],
    ['text for a number', { limits: { body: '1 MB' } }, 'limits.body: found "1 MB"; allowed: a number'],
    [
      'a field that is missing',
      { prices: { 'a/b': { input: 1 } } },
      'prices["a/b"].output: is missing; allowed: a number',
    ],
    ['none of three shapes', { models: { fast: 7 } }, 'models.fast: found 7; allowed: a string or a list or an object'],
    [
      'a wrong entry within one of these shapes',
      { models: { fast: ['a', 7] } },
      'models.fast[1]: found 7; allowed: a string',
    ],
    [
      'a wrong field of a deployment',
      { providers: { mine: { models: { a: { upstream: 'd-1', si: 'gpt-5.4' } } } } },
      'providers.mine.models.a.si: unknown field; allowed: upstream, is',
    ],
    [
      'an alias that only failures lead to',
      { models: { fast: { targets: [{ model: 'a', on: ['timeout'] }] } } },
      'models.fast.targets: at least one model must have no `on`, because it is tried first',
    ],
    [
      'a failure that no other model helps with',
      { models: { fast: { targets: ['a', { model: 'b', on: ['canceled'] }] } } },
      'models.fast.targets[1].on[0]: found "canceled"; allowed: "context-too-long", "content-policy"',
    ],
    [
      'a field of an alias that does not exist',
      { models: { fast: { targets: ['a'], maxPrise: 3 } } },
      'models.fast.maxPrise: unknown field; allowed: targets, policy, maxPrice, minContext',
    ],
    [
      'a label whose name means something else',
      { models: { fast: { targets: ['a'], labels: { 'max-price': '3' } } } },
      'models.fast.labels.max-price: this name is not allowed; allowed: a name of lower-case',
    ],
    [
      'a label that no header could contain',
      { providers: { mine: { endpoints: [{ labels: { region: 'eu;us' } }] } } },
      'providers.mine.endpoints[0].labels.region: found a string; allowed: at most 64 letters, digits',
    ],
    [
      'an endpoint without a usable name',
      { providers: { mine: { endpoints: [{ name: 'East 1' }] } } },
      'providers.mine.endpoints[0].name: found a string; allowed: a name of at most 64 lower-case letters',
    ],
    [
      'an endpoint that gets nothing',
      { providers: { mine: { endpoints: [{}, { weight: 0 }] } } },
      'providers.mine.endpoints[1].weight: found a number; allowed: at least 0.001',
    ],
    [
      'an unlimited limit of an endpoint',
      { providers: { mine: { endpoints: [{ limits: { concurent: 1 } }] } } },
      'providers.mine.endpoints[0].limits.concurent: unknown field; allowed: concurrent, requestsPerMinute',
    ],
    [
      'a name of a model without its provider',
      { routing: { same: { models: true, add: { 'm-1': ['m-1-fast'] } } } },
      'routing.same.add.m-1[0]: found "m-1-fast"; allowed: a name such as <provider>/<model>',
    ],
    ['an empty list', { models: { fast: [] } }, 'models.fast: found a list; allowed: at least 1 entries'],
    [
      'a name of a provider that no header could say',
      { providers: { 'My Server': {} } },
      'providers["My Server"]: this name is not allowed; allowed: a name of lower-case',
    ],
    [
      'a name of a provider that means something else',
      { providers: { auto: {} } },
      'providers.auto: this name is not allowed',
    ],
    ['a key that is too short', { keys: ['a'] }, 'keys[0]: found a string; allowed: 8 to 512 visible ASCII characters'],
    ['no object', [], 'found a list; allowed: an object'],
    [
      'a variable that is not set',
      { providers: { mine: { apiKey: variable('MINE_KEY') } } },
      'providers.mine.apiKey: the environment variable MINE_KEY is not set',
    ],
  ])('with %s is refused', async (_, content, message) => {
    expect(await problem(content)).toContain(`headgate.config.json is wrong:\n  ${message}`)
  })

  it('lists all that is wrong', async () => {
    const message = await problem({ server: { port: -1 }, log: { level: 'loud' } })
    expect(message.split('\n')).toHaveLength(3)
  })

  it('never shows keys, or what providers and search backends are given', async () => {
    const search = {
      backends: { mine: { price: 'secret' } },
      engines: { docs: { backend: 'mine', title: '', sites: ['secret secret'] } },
    }
    const message = await problem({
      keys: ['secret key'],
      providers: { mine: { models: 'secret', endpoints: [{ weight: 'secret', group: 'secret secret' }] } },
      search,
      log: { level: 'x' },
    })
    expect(message).toContain('keys[0]: found a string; allowed: 8 to 512')
    expect(message).not.toContain('secret')
  })

  it('has no name twice in one object, as JSON or YAML', async () => {
    const twice = '{\n\t"keys": ["sk-local"],\n\t"log": { "level": "info" },\n\t"keys": ["sk-other-secret"]\n}'
    const message = await problem(twice)
    expect(message).toContain('headgate.config.json has the same name twice in one object (line 4 column')
    expect(message).not.toContain('secret')
    expect(await problem('{ "server": { "port": 1, "port": 2 } }')).toContain('twice')
    const fine =
      '{\n\t"keys": ["sk-local", "sk-local"],\r\n\t"models": { "a": "b", "A": "b", "a/b": "c", "\\u00e9": "d" }\n}'
    expect((await load(temporaryFolder({ 'headgate.config.json': fine }))).config.models).toEqual({
      a: 'b',
      A: 'b',
      'a/b': 'c',
      '\u00e9': 'd',
    })
    const yaml = temporaryFolder({ 'headgate.config.yaml': 'keys: [sk-local]\nkeys: [sk-local]\n' })
    expect(String(await load(yaml).catch((thrown: unknown) => thrown))).toMatch(/is not valid YAML: .*unique/)
  })

  it('says where it is no JSON or YAML, and quotes nothing of it', async () => {
    const json = await problem('{\n  "keys": ["secret"],\n}')
    expect(json).toContain('headgate.config.json is not valid JSON')
    expect(json).toContain('(line 3 column 1)')
    expect(await problem('{"keys": [secret]}')).not.toContain('secret')

    const yaml = temporaryFolder({ 'headgate.config.yaml': 'keys: [secret\nlog: {}\n' })
    const error: unknown = await load(yaml).catch((thrown: unknown) => thrown)
    expect(String(error)).toMatch(/is not valid YAML: .*\(line \d+ column \d+\)/)
    expect(String(error)).not.toContain('secret')
  })

  it('says that a module must have a default export', async () => {
    const folder = temporaryFolder({ 'headgate.config.mjs': 'export const config = {}' })
    await expect(load(folder)).rejects.toThrow('has no default export')
  })
})

describe('the JSON Schema', () => {
  it('describes the fields for editors', () => {
    const schema = configJsonSchema()
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
    })
    expect(JSON.stringify(schema)).toContain('US dollars per million input tokens')
  })
})
