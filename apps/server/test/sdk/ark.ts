import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const MOST_MS = 120_000
const SCRIPT = join(import.meta.dirname, '../../../../e2e/python/ark_videos.py')

/** Python with its packages: that of a virtual environment, or the one of the machine. */
export const PYTHON = process.env['HEADGATE_PYTHON'] || 'python3'

/** The distribution of `volcengine-python-sdk` that has its client of Ark. */
export const ARK_PACKAGE = 'volcengine-ark-runtime'

/** The version of the official SDK that Python has; undefined where it has none. */
export async function arkVersion(): Promise<string | undefined> {
  const code = `import importlib.metadata, volcenginesdkarkruntime; print(importlib.metadata.version("${ARK_PACKAGE}"))`
  return execute(PYTHON, ['-c', code], { timeout: MOST_MS }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
}

/** What a script prints that asks a gateway. */
export async function runPython(code: readonly string[], url: string, key: string): Promise<string> {
  const environment = { PATH: process.env['PATH'], HEADGATE_URL: url, HEADGATE_API_KEY: key, MODEL: 'demo' }
  const { stdout } = await execute(PYTHON, code, { env: environment, timeout: MOST_MS })
  return stdout
}

/** What the official SDK makes of a gateway whose model `demo` is that of the demo provider. */
export async function useArk(url: string, key: string): Promise<unknown> {
  return JSON.parse(await runPython([SCRIPT], url, key))
}

/** What it makes of one that is well. */
export const ARK_DONE = {
  seen: [true, 'succeeded'],
  task: [true, 'demo', '1:1', 2, 7, true],
  video: 'ftyp',
  failed: 'InternalServiceError',
  cancelled: 'cancelled',
  listed: [1, [true]],
  failures: ['InternalServiceError'],
  all: 4,
  running: [409, 'InvalidAction.RunningTaskDeletion'],
  deleted: [404, 'ResourceNotFound'],
  invalid: [400, 'InvalidParameter'],
  model: [400, 'InvalidEndpointOrModel.NotFound'],
  key: [401, 'AuthenticationError'],
  async: 'queued',
}
