import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { repeated } from '../../../tools/long-runs.ts'
import { command, start } from './program.ts'
import { PYTHON } from './sdk/ark.ts'
import { temporaryFolder } from './temporary.ts'

const execute = promisify(execFile)

/** Duration of the generated requests, in seconds: two thirds with a key, the rest with a session. */
const SECONDS = repeated(90, 300)
/** Additional time to start and to shrink a failure, in seconds. */
const MORE = 180
const KEY = 'sk-local-of-a-fuzzer-0123456789'
const CLAIM = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }
/** A stream that never ends: `live.test.ts` listens to it. */
const ENDLESS = 'listen'
/** What would end the session that asks. */
const ENDING = ['signOut', 'endSession', 'endOtherSessions', 'leave', 'makeResetLink', 'acceptInvite']
const DOCUMENT = 'openapi.json'
/** No cookies and keys that are made up: nearly all requests would be refused for them. */
const OWN_CREDENTIALS = '[generation]\nwith-security-parameters = false\n'
const CHECKS = [
  'not_a_server_error',
  'unsupported_method',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

interface Fuzzing {
  /** Where the document is, and what is left behind. */
  readonly folder: string
  readonly url: string
  readonly headers: readonly string[]
  readonly seconds: number
  readonly more?: readonly string[]
}

/** What Schemathesis says of requests that it has made up from a document, by 0 where nothing was wrong. */
async function fuzz({
  folder,
  url,
  headers,
  seconds,
  more = [],
}: Fuzzing): Promise<{ readonly code: unknown; readonly said: string }> {
  const checks = ['--checks', CHECKS.join(), '--max-time', String(seconds), '--continue-on-failure', '--no-color']
  const args = [
    '-m',
    'schemathesis.cli',
    'run',
    DOCUMENT,
    '--url',
    url,
    ...headers.flatMap((header) => ['-H', header]),
    ...checks,
    ...more,
  ]
  const limits = { cwd: folder, timeout: (seconds + MORE) * 1_000, maxBuffer: 2 ** 26 }
  const running = execute(PYTHON, args, { ...limits, env: { PATH: process.env['PATH'], PYTHONIOENCODING: 'utf-8' } })
  // Other tests of this machine come first.
  if (running.child.pid !== undefined) setPriority(running.child.pid, constants.priority.PRIORITY_LOW)
  return running.then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code?: unknown; stdout?: string; stderr?: string }) => ({
      code: error.code,
      said: `${error.stdout}${error.stderr}`,
    }),
  )
}

describe('Requests that are made up from the OpenAPI document', { tags: ['full'] }, () => {
  it('are answered as it says, and never by a failure of the gateway', {
    timeout: (SECONDS + 2 * MORE) * 1_000,
  }, async ({ skip }) => {
    const has = await execute(PYTHON, ['-c', 'import schemathesis']).then(
      () => true,
      () => false,
    )
    if (!has) {
      process.stderr.write(
        `${PYTHON} does not have schemathesis (HEADGATE_PYTHON names another): NOTHING is shown of made-up requests.\n`,
      )
      return skip('schemathesis is not installed')
    }
    const config = {
      keys: [{ key: KEY, name: 'fuzzer', models: ['*'], search: ['*'], scopes: ['admin', 'metrics'] }],
      accounts: { signUp: 'open', publicUrl: 'http://localhost:8787' },
      providers: { demo: {} },
    }
    const folder = temporaryFolder({ 'headgate.config.json': config, 'schemathesis.toml': OWN_CREDENTIALS })
    const token = /token=(\S+)/.exec((await command(['users', 'first-link'], { folder })).stdout)?.[1]
    const gateway = await start({ folder, args: ['--log-level', 'warn'] })
    const { url } = gateway
    const origin = 'http://localhost:8787'
    const claimed = await fetch(`${url}/api/v1/first`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...CLAIM }),
    })
    expect(claimed.status, await claimed.text()).toBe(201)
    const cookie = claimed.headers.getSetCookie()[0]?.split(';')[0]
    const document = join(folder, DOCUMENT)
    writeFileSync(
      document,
      await (await fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${KEY}` } })).text(),
    )
    expect(Object.keys(JSON.parse(readFileSync(document, 'utf8')).paths).length).toBeGreaterThan(60)

    const third = Math.floor(SECONDS / 3)
    const byKey = await fuzz({ folder, url, headers: [`Authorization: Bearer ${KEY}`], seconds: SECONDS - third })
    const bySession = await fuzz({
      folder,
      url,
      headers: [`Origin: ${origin}`, `Cookie: ${cookie}`],
      seconds: third,
      more: [
        '--include-path-regex',
        '^/api/v1/',
        ...[ENDLESS, ...ENDING].flatMap((id) => ['--exclude-operation-id', id]),
      ],
    })
    const me = await fetch(`${url}/api/v1/me`, { headers: { cookie: cookie ?? '' } })
    expect(me.status, 'The session has ended meanwhile.').toBe(200)
    for (const { code, said } of [byKey, bySession]) expect(code, said).toBe(0)
    // What has failed within says so in the log, whatever was answered.
    expect(gateway.log().filter(({ level }) => Number(level) >= 50)).toEqual([])
    expect(await gateway.stop()).toBe(0)
  })
})
