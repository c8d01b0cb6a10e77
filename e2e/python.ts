import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PYTHON } from '../apps/server/test/sdk/ark.ts'
import { makeVideos } from './ark-videos.ts'
import { openGateway } from './clients/gateway.ts'
import { PYTHON_CLIENTS } from './clients/python.ts'
import { problemsOf } from './clients/results.ts'
import { report } from './clients/run.ts'
import { runPythonScript } from './clients/script.ts'

const execute = promisify(execFile)

const VERSIONS = `
import importlib.metadata, json, sys
found = {one.metadata["Name"].lower().replace("_", "-"): one.version for one in importlib.metadata.distributions()}
print(json.dumps({name: found[name] for name in json.loads(sys.argv[1]) if name in found}))
`

/** Installed versions of packages. Empty without an interpreter. */
async function versionsOf(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  return execute(PYTHON, ['-c', VERSIONS, JSON.stringify(names)], { timeout: 60_000 }).then(
    ({ stdout }) => JSON.parse(stdout),
    () => ({}),
  )
}

/** Tests the clients in this machine's Python with any version. Resolves with the number of failures. */
export async function runPython(): Promise<number> {
  return (await tryClients()) + (await makeVideos())
}

async function tryClients(): Promise<number> {
  const versions = await versionsOf(PYTHON_CLIENTS.flatMap(({ packages }) => Object.keys(packages)))
  const present = PYTHON_CLIENTS.filter(({ packages }) =>
    Object.keys(packages).every((name) => versions[name] !== undefined),
  )
  const absent = PYTHON_CLIENTS.filter((client) => !present.includes(client)).map(({ name }) => name)
  if (absent.length > 0)
    console.log(
      `skipped   ${absent.join(', ')}: ${PYTHON} does not have them (set HEADGATE_PYTHON to another interpreter)`,
    )
  if (present.length === 0) return 0

  const gateway = await openGateway()
  try {
    let failed = 0
    for (const client of present) {
      const behind = await gateway.try(client, (trial) => runPythonScript(PYTHON, client.script, trial))
      const used = Object.keys(client.packages).map((name) => `${name} ${versions[name]}`)
      if (!report(`${client.name} of Python (${used.join(', ')})`, problemsOf(behind))) failed++
    }
    return failed
  } finally {
    await gateway.close()
  }
}
