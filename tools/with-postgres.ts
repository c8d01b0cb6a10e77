import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from './postgres.ts'

/**
 * Runs a command with a server of Postgres of its own, which `TEST_DATABASE_URL` names: that of the environment, else
 * one that is started for as long as the command runs. Where there is none, the tests that need one say that they were
 * left out.
 */
const [program = '', ...args] = process.argv.slice(2)
const given = process.env['TEST_DATABASE_URL']
const server = given ? undefined : await startPostgres()
if (!given && !server)
  console.error('Postgres is not installed here: what needs a real one is left out. Debian has it as `postgresql`.')
const url = given ?? server?.url
const child = spawn(program, args, {
  stdio: 'inherit',
  env: { ...process.env, ...(url && { TEST_DATABASE_URL: url }) },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const [code] = (await once(child, 'exit')) as [number | null]
server?.remove()
process.exitCode = code ?? 1
