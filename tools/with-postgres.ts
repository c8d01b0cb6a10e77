import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from './postgres.ts'

/**
 * Runs a command with a Postgres server in `TEST_DATABASE_URL`: the server from the environment, otherwise a temporary
 * one. Without Postgres, tests that need it are reported as skipped.
 */
const [program = '', ...args] = process.argv.slice(2)
const given = process.env['TEST_DATABASE_URL']
const server = given ? undefined : await startPostgres()
if (!given && !server)
  console.error(
    'Postgres is not installed: tests that need it are skipped. On Debian, install the package `postgresql`.',
  )
const url = given ?? server?.url
const child = spawn(program, args, {
  stdio: 'inherit',
  env: { ...process.env, ...(url && { TEST_DATABASE_URL: url }) },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const [code] = (await once(child, 'exit')) as [number | null]
server?.remove()
process.exitCode = code ?? 1
