import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ARK_DONE, ARK_PACKAGE, arkVersion, PYTHON, useArk } from '../apps/server/test/sdk/ark.ts'
import { report } from './clients/run.ts'
import { API_KEY, startServer } from './server.ts'

/**
 * Creates videos with the Volcengine Ark SDK through the built program. Resolves with the number of failures; a missing
 * SDK is reported and is not a failure.
 */
export async function makeVideos(): Promise<number> {
  const version = await arkVersion()
  if (version === undefined) {
    console.log(
      `skipped   ${ARK_PACKAGE}: ${PYTHON} does not have it (pip install ${ARK_PACKAGE}, or set HEADGATE_PYTHON to another interpreter)`,
    )
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'headgate-python-'))
  const server = await startServer(folder, { demo: {} })
  const found = await useArk(server.url, API_KEY).catch((error: unknown) => String(error))
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
  const problems = isDeepStrictEqual(found, ARK_DONE) ? [] : [JSON.stringify(found)]
  return report(`${ARK_PACKAGE} ${version} for Python creates videos`, problems) ? 0 : 1
}
