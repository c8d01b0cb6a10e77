import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { API_KEY, gatewayFolder, startGateway } from '../apps/server/test/sdk/gateway.ts'
import { report } from './clients/run.ts'
import { commandOf, folderOf, type Installation, isInstalled, tryInstall } from './installation.ts'

const execute = promisify(execFile)

/** Timeout of a program in milliseconds. */
const MOST_MS = 120_000

/** Client of OpenAI with its program. The program prints the names of failed checks. */
interface MediaClient {
  readonly name: string
  readonly installation: Installation
  command(installation: Installation): readonly [command: string, ...args: string[]]
}

const CLIENTS: readonly MediaClient[] = [
  {
    name: 'openai for Python',
    installation: { registry: 'PyPI', packages: { openai: '3.54.0' } },
    command: (installation) => [commandOf(installation, 'python'), join(import.meta.dirname, 'python/openai_media.py')],
  },
  {
    name: 'openai-java',
    installation: { registry: 'Maven', packages: { 'com.openai:openai-java': '4.101.0' } },
    command: (installation) => [
      'java',
      '-cp',
      join(folderOf(installation), 'lib', '*'),
      join(import.meta.dirname, 'java/Media.java'),
    ],
  },
  {
    name: 'openai-go',
    installation: { registry: 'Go', packages: { 'github.com/openai/openai-go/v3': 'v3.98.0' } },
    command: (installation) => [commandOf(installation, 'media')],
  },
]

/**
 * Tests images, speech, transcription and moderations of the demo with clients whose multipart writers differ. Resolves
 * with the number of failures.
 */
export async function runMedia(): Promise<number> {
  for (const { installation } of CLIENTS) tryInstall(installation)
  const folder = gatewayFolder({ demo: {} })
  const gateway = await startGateway(folder.path)
  let failed = 0
  for (const client of CLIENTS) if (!report(client.name, await problemsOf(client, gateway.url))) failed++
  await gateway.end('SIGTERM')
  folder.remove()
  return failed
}

async function problemsOf({ installation, command }: MediaClient, url: string): Promise<readonly string[]> {
  if (!isInstalled(installation)) return ['it is not installed']
  const [program, ...args] = command(installation)
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  const env = { PATH, HEADGATE_URL: url, HEADGATE_API_KEY: API_KEY, PYTHONDONTWRITEBYTECODE: '1' }
  return execute(program, args, { env, timeout: MOST_MS, killSignal: 'SIGKILL' }).then(
    ({ stdout }) => stdout.split('\n').filter((line) => line !== ''),
    (error: unknown) => [String(error)],
  )
}
