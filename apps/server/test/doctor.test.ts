import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startUpstream, type UpstreamReply } from '@headgate/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommandLine } from '../src/commands/line.ts'
import { temporaryFolder } from './temporary.ts'

const KEY = 'zebra-of-the-provider'
const VARIABLES = { OPENAI_API_KEY: KEY }

/** A list as https://platform.openai.com/docs/api-reference/models/list has it. */
const list: UpstreamReply = {
  kind: 'whole',
  body: { object: 'list', data: [{ id: 'gpt-4.1', object: 'model', created: 1, owned_by: 'openai' }] },
}

const refusal = (status: number, message: string): UpstreamReply => ({
  kind: 'whole',
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
})

/** A key that is wrong, as https://ai.google.dev/gemini-api/docs/troubleshooting has it: a 400. */
const badKey: UpstreamReply = {
  kind: 'whole',
  status: 400,
  body: {
    error: {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
      ],
    },
  },
}

/** The base URL of an upstream that answers so, for the length of one test. */
async function answering(reply: UpstreamReply): Promise<string> {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.answer(reply)
  return `${upstream.origin}/v1`
}

interface Doctored {
  readonly code: number
  readonly out: string
  readonly error: string
}

async function doctor(
  folder: string,
  environment: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Doctored> {
  const written = { out: '', error: '' }
  const code = await runCommandLine({
    args: ['doctor', ...args],
    folder,
    environment,
    print: (text) => {
      written.out += text
    },
    note: (text) => {
      written.error += text
    },
  })
  return { code, ...written }
}

describe('headgate doctor', () => {
  it('finds nothing to mend where all is well', async () => {
    const folder = temporaryFolder()
    const baseUrl = await answering(list)
    const { code, out, error } = await doctor(folder, { ...VARIABLES, OPENAI_BASE_URL: baseUrl })
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(/^ok +config +no file: environment and defaults\n/)
    expect(out).toMatch(
      new RegExp(`^ok +data +${folder}/\\.headgate will be created at the first start, \\S+ [GM]B free$`, 'm'),
    )
    expect(out).toMatch(
      /^ok +openai +accepts the credential and returned its model list; serves chat, embeddings, images, speech, transcription, moderations$/m,
    )
    expect(out).toMatch(/^ok +clock +within 1 s of the clock of openai$/m)
  })

  it('says for which families the list of a provider has no model, and what to check', async () => {
    const ids = ['gpt-4.1', 'text-embedding-3-small', 'gpt-image-2', 'omni-moderation-latest']
    const data = ids.map((id) => ({ id, object: 'model', created: 1, owned_by: 'openai' }))
    const baseUrl = await answering({ kind: 'whole', body: { object: 'list', data } })
    const { code, out } = await doctor(temporaryFolder(), { ...VARIABLES, OPENAI_BASE_URL: baseUrl })
    expect(code).toBe(0)
    expect(out).toMatch(
      /^note +openai +its model list has no known model for speech, transcription\n +→ Check that the account has access, for example to \S+, \S+\. /m,
    )
    // Names of deployments are in no list.
    const providers = { openai: { apiKey: KEY, baseUrl, models: ['mine'] } }
    const named = await doctor(temporaryFolder({ 'headgate.config.json': { providers } }))
    expect(named.out).not.toContain('no known model')
  })

  it('says that only the demo answers where nothing is configured', async () => {
    const { code, out } = await doctor(temporaryFolder())
    expect(code).toBe(0)
    expect(out).toMatch(
      /^ok +demo +runs in this process; serves chat, images, speech, transcription, moderations, video$/m,
    )
    expect(out).toMatch(
      /^note +providers +none is configured\n +→ Set the API key of a provider. `headgate adapters` lists the variables\.$/m,
    )
    expect(out).toMatch(/^note +clock +not checked/m)
  })

  it('tells of a key that a package would use which is not installed', async () => {
    const { out } = await doctor(temporaryFolder(), { GROQ_API_KEY: KEY })
    expect(out).toMatch(
      /^note +adapters +Not installed: groq \(GROQ_API_KEY set\): npm install headgate @headgate\/provider-groq /m,
    )
  })

  it('tells a key that is refused, where it comes from, and never the key itself', async () => {
    const baseUrl = await answering(refusal(401, `Incorrect API key provided: ${KEY}.\u001b[31m`))
    const { code, out, error } = await doctor(temporaryFolder(), { ...VARIABLES, OPENAI_BASE_URL: baseUrl })
    expect({ code, error }).toEqual({
      code: 1,
      error: expect.stringMatching(/^headgate: 1 of \d+ checks failed\.\n$/),
    })
    expect(out).toMatch(
      /^wrong +openai +rejected the credential \(401\): Incorrect API key provided: \[redacted\]\. \[31m$/m,
    )
    expect(out).toMatch(/^ +→ Check OPENAI_API_KEY and OPENAI_BASE_URL: the key and its permissions\.$/m)
    expect(out).not.toContain(KEY)
  })

  it('asks every provider of the configuration, and names its entry', async () => {
    const providers = {
      openai: { apiKey: KEY, baseUrl: await answering(list) },
      second: {
        adapter: 'openai',
        apiKey: KEY,
        baseUrl: await answering(refusal(403, 'Missing scopes: api.model.read')),
      },
      google: { apiKey: KEY, baseUrl: await answering(badKey) },
      gone: { adapter: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' },
      bare: { adapter: 'openai-compatible', baseUrl: await answering(refusal(404, 'Not Found')) },
      named: { adapter: 'openai-compatible', baseUrl: await answering(refusal(404, 'Not Found')), models: ['llama-4'] },
      page: { adapter: 'openai-compatible', baseUrl: await answering({ kind: 'whole', body: '<html>' }) },
      busy: { adapter: 'openai', apiKey: KEY, baseUrl: await answering(refusal(429, 'Rate limit reached')) },
      broken: { adapter: 'openai', apiKey: KEY, baseUrl: await answering(refusal(503, 'Overloaded')) },
    }
    const { code, out } = await doctor(temporaryFolder({ 'headgate.config.json': { providers } }))
    expect(code).toBe(1)
    expect(out).toMatch(/^ok +openai +accepts the credential/m)
    expect(out).toMatch(
      /^wrong +second +rejected the credential \(403\).*\n +→ Check providers\.second in the configuration/m,
    )
    expect(out).toMatch(/^wrong +google +rejected the credential \(400\): API key not valid/m)
    expect(out).toMatch(
      /^wrong +gone +does not respond: .*ECONNREFUSED.*\n +→ .*base URL: http:\/\/127\.0\.0\.1:1\/v1$/m,
    )
    expect(out).toMatch(
      /^wrong +bare +responds, but not with a model list \(404\): Not Found\n +→ .*providers\.bare\.models\.$/m,
    )
    expect(out).toMatch(/^note +named +responds, but not with a model list/m)
    expect(out).toMatch(/^wrong +page +responds, but not with a model list \(200\)/m)
    expect(out).toMatch(/^note +busy +accepts the credential, but is rate limited now \(429\)/m)
    expect(out).toMatch(/^wrong +broken +fails \(503\): Overloaded/m)
  })

  it('checks the credential of each endpoint, and never shows one', async () => {
    const openai = {
      endpoints: [
        { name: 'east', apiKey: KEY, baseUrl: await answering(list) },
        { name: 'west', apiKey: `${KEY}-2`, baseUrl: await answering(refusal(401, `Incorrect API key: ${KEY}-2.`)) },
      ],
    }
    const one = { adapter: 'openai', endpoints: [{ name: 'only', apiKey: KEY, baseUrl: await answering(list) }] }
    const folder = temporaryFolder({ 'headgate.config.json': { providers: { openai, one } } })
    const { code, out } = await doctor(folder)
    expect(code).toBe(1)
    expect(out).toMatch(/^ok +openai\/east +accepts the credential/m)
    expect(out).toMatch(
      /^wrong +openai\/west +rejected the credential \(401\): Incorrect API key: \[redacted\]\.\n +→ Check providers\.openai \(endpoint west\) in the configuration: the key/m,
    )
    expect(out).toMatch(/^ok +one +accepts the credential/m)
    expect(out).not.toContain(KEY)
  })

  it.each([
    [-7_200_000, '7200 s ahead of'],
    [600_000, '600 s behind'],
  ])('finds a clock that is wrong by %i ms', async (difference, words) => {
    const date = new Date(Date.now() + difference).toUTCString()
    const baseUrl = await answering({ ...list, headers: { date } })
    const { code, out } = await doctor(temporaryFolder(), { ...VARIABLES, OPENAI_BASE_URL: baseUrl })
    expect(code).toBe(1)
    expect(out.replace(/\d+(?= s )/g, (seconds) => String(Math.round(Number(seconds) / 10) * 10))).toMatch(
      new RegExp(`^wrong +clock +${words} the clock of openai: .*\\n +→ Set this machine's clock`, 'm'),
    )
  })

  it('goes on where the configuration is wrong', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { providers: { openai: { apiKey: KEY, baseUlr: 'x' } } } })
    const { code, out } = await doctor(folder)
    expect(code).toBe(1)
    expect(out).toMatch(/^wrong +config +The configuration is wrong:\n +providers\.openai\.baseUlr: unknown field/m)
    expect(out).toMatch(/^ok +data/m)
    expect(out).not.toContain(KEY)
  })

  it('finds a data directory that is open to others, no folder, or of a newer program', async () => {
    const folder = temporaryFolder({ file: '' })
    const data = join(folder, 'data')
    mkdirSync(data)
    chmodSync(data, 0o750)
    expect(await doctor(folder, {}, ['--data-dir', 'data'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^note +data +other users .* can read .*mode 750\)\n +→ Run: chmod 700 /m),
    })
    chmodSync(data, 0o777)
    expect(await doctor(folder, { HEADGATE_DATA_DIR: 'data' })).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^wrong +data +other users .* can change/m),
    })
    chmodSync(data, 0o700)
    expect((await doctor(folder, { HEADGATE_DATA_DIR: 'data' })).out).toMatch(/^ok +data +\S+ can be written/m)

    const store = new DatabaseSync(join(data, 'headgate.db'))
    store.exec(
      "CREATE TABLE headgate_schema (name TEXT, version INTEGER, min_reader INTEGER); INSERT INTO headgate_schema VALUES ('store', 999, 999)",
    )
    store.close()
    expect((await doctor(folder, { HEADGATE_DATA_DIR: 'data' })).out).toMatch(
      /^wrong +store .*was written by a newer headgate/m,
    )
    expect((await doctor(folder, { HEADGATE_DATA_DIR: 'file' })).out).toMatch(/^wrong +data +\S+ is not a folder/m)
  })
})
