import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Measured, startNode } from './process.ts'

export interface HeadgateOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Additional or replaced parts of its configuration. */
  readonly config?: object
}

/** Starts the built program of a checkout in front of the benchmark's upstream. Its folder is removed when it stops. */
export async function startHeadgate(
  root: string,
  upstream: string,
  { environment, config: own }: HeadgateOptions = {},
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
  const config = {
    keys: ['sk-bench'],
    providers: {
      'chat-up': {
        adapter: 'openai-compatible',
        baseUrl: `${upstream}/v1`,
        apiKey: 'sk-upstream',
        models: ['bench-model'],
      },
      'messages-up': { adapter: 'anthropic', baseUrl: upstream, apiKey: 'sk-upstream', models: ['claude-bench'] },
      'responses-up': { adapter: 'openai', baseUrl: `${upstream}/v1`, apiKey: 'sk-upstream', models: ['bench-pro'] },
    },
    times: { drain: 0 },
    ...own,
  }
  const file = join(folder, 'headgate.config.json')
  writeFileSync(file, JSON.stringify(config))
  const port = await freePort()
  const env = { HEADGATE_CONFIG: file, HEADGATE_DATA_DIR: join(folder, 'data'), PORT: String(port), ...environment }
  const started = await startNode([join(root, 'apps/server/dist/cli.js')], { env, cwd: root, port, probe: '/readyz' })
  return {
    ...started,
    async stop() {
      await started.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
