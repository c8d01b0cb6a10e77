import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startInProcess } from '../../apps/server/test/in-process.ts'
import { temporaryFolder } from '../../apps/server/test/temporary.ts'
import { composeFile } from '../compose.ts'
import { boardJson } from '../grafana/board.ts'
import { BOARDS } from '../grafana/boards.ts'
import { freePort } from '../postgres.ts'
import { findProgram } from '../programs.ts'

const prometheus = findProgram('prometheus')
const promtool = findProgram('promtool')
const FOLDER = composeFile('grafana')
const RULES = join(FOLDER, 'alerts.yaml')
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const METRICS_KEY = 'sk-local-metrics'
const FULL = { tags: ['full'], timeout: 180_000 }

interface Target {
  readonly expr: string
}

interface BoardFile {
  readonly id?: unknown
  readonly __inputs?: unknown
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] }
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly w: number }
    readonly targets?: readonly Target[]
  }[]
}

function boardFiles(): BoardFile[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  return names.map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))
}

describe('The boards of Grafana', () => {
  it('are current: run `pnpm generate-boards` after a change', () => {
    const written = Object.fromEntries(BOARDS.map((board) => [board.uid, boardJson(board)]))
    const files = Object.fromEntries(
      boardFiles().map(({ uid }) => [uid, readFileSync(join(FOLDER, `${uid}.json`), 'utf8')]),
    )
    expect(files).toEqual(written)
  })

  it('can be provisioned from files: fixed ids, a choice of the data source, no inputs', () => {
    for (const { id, __inputs, uid, schemaVersion, templating, panels } of boardFiles()) {
      expect([id, __inputs, schemaVersion], uid).toEqual([undefined, undefined, 39])
      expect(uid).toMatch(/^headgate-[a-z]+$/)
      expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' })
      expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length)
      expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
    }
  })
})

describe.skipIf(!promtool)('promtool', () => {
  const run = (...args: readonly string[]): string =>
    execFileSync(promtool ?? '', args, { encoding: 'utf8', cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe'] })

  it('finds no problem in the alert rules', () => {
    expect(run('check', 'rules', RULES)).toContain('SUCCESS')
  })

  it('fires each alert for its cause, and none without one', () => {
    expect(run('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS')
    const alerts = [...readFileSync(RULES, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name)
    const tested = readFileSync(join(FOLDER, 'alerts.test.yaml'), 'utf8')
    const fired = new Set([...tested.matchAll(/alertname: (\w+)\n\s+exp_alerts/g)].map(([, name]) => name))
    expect(alerts.filter((name) => !fired.has(name))).toEqual([])
  })
})

/** Chat completions with usage; streams have two chunks. */
async function startUpstream(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { stream } = JSON.parse((await text(request)) || '{}')
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60 },
    }
    const common = { id: 'c', created: 1, model: 'model-1' }
    const message = { role: 'assistant', content: 'Hello' }
    if (!stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }))
    }
    const chunk = (more: object) =>
      `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...more })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }))
    await wait(5)
    response.write(chunk({ choices: [{ index: 0, delta: { content: '!' }, finish_reason: 'stop' }] }))
    return response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** A gateway with a working and a broken provider, budgets, limits and traces. */
async function startGateway() {
  const [baseUrl, closed] = [await startUpstream(), await freePort()]
  const common = { adapter: 'openai-compatible', apiKey: 'secret' }
  const endpoints = [{ name: 'east' }, { name: 'west' }]
  const mine = { ...common, baseUrl, models: ['model-1'], endpoints }
  const broken = { ...common, baseUrl: `http://127.0.0.1:${closed}/v1`, models: ['broken-1'] }
  const config = {
    keys: [
      { key: 'sk-local-a', budgets: ['100/day'] },
      { key: 'sk-local-limited', limits: { requestsPerMinute: 1 } },
      { key: 'sk-local-poor', budgets: ['0.000001/day'] },
      { key: METRICS_KEY, scopes: ['metrics'] },
    ],
    providers: { mine, broken },
    prices: { 'mine/model-1': { input: 1, output: 2 }, 'broken/broken-1': { input: 1, output: 2 } },
    telemetry: { endpoint: `http://127.0.0.1:${closed}`, metrics: false },
  }
  return startInProcess({ folder: temporaryFolder({ 'headgate.config.json': config }) })
}

/** One request of each kind. */
async function sendTraffic(url: string): Promise<void> {
  const chat = async (key: string, model: string, stream = false) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ model, stream, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.arrayBuffer()
  }
  await Promise.all([
    chat('sk-local-a', 'model-1'),
    chat('sk-local-a', 'model-1', true),
    chat('sk-local-a', 'broken-1'),
    chat('sk-local-limited', 'model-1'),
    chat('sk-local-poor', 'model-1'),
    chat('sk-wrong', 'model-1'),
  ])
}

/** Prometheus that scrapes a gateway four times a second. */
async function startPrometheus(gateway: string): Promise<string> {
  const folder = temporaryFolder({})
  cpSync(RULES, join(folder, 'alerts.yaml'))
  const config = {
    global: { scrape_interval: '250ms', evaluation_interval: '1s' },
    rule_files: ['alerts.yaml'],
    scrape_configs: [
      {
        job_name: 'headgate',
        authorization: { credentials: METRICS_KEY },
        static_configs: [{ targets: [new URL(gateway).host] }],
      },
    ],
  }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const port = await freePort()
  const child = spawn(
    prometheus ?? '',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  await vi.waitUntil(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok, {
    timeout: 30_000,
    interval: 50,
  })
  return url
}

interface Answer<T> {
  readonly status: string
  readonly error?: string
  readonly data: T
}

interface Queried {
  readonly result: readonly { readonly metric: Readonly<Record<string, string>>; readonly value: [number, string] }[]
}

async function api<T>(url: string, path: string, parameters: Record<string, string>): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
  const { data, error } = (await response.json()) as Answer<T>
  if (!response.ok) throw new Error(`${path} ${JSON.stringify(parameters)}: ${error}`)
  return data
}

/** Query of a panel without the variables of Grafana. */
function concrete({ expr }: Target): string {
  return expr.replaceAll(/\$(job|instance|provider)\b/g, '.*').replaceAll('$__rate_interval', '20s')
}

describe('Prometheus', () => {
  it('scrapes a gateway: text, exemplars, each panel and the alerts', FULL, async (context) => {
    if (!prometheus || !promtool) return context.skip('Prometheus is not installed: it does not scrape here')
    const gateway = await startGateway()
    await sendTraffic(gateway.url)
    const headers = { authorization: `Bearer ${METRICS_KEY}` }
    const plain = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
    const checked = execFileSync(promtool, ['check', 'metrics'], { input: plain, encoding: 'utf8' })
    expect(checked).toBe('')

    const url = await startPrometheus(gateway.url)
    const query = async (expression: string) => (await api<Queried>(url, 'query', { query: expression })).result
    const queries = boardFiles().flatMap(({ uid, panels }) =>
      panels.flatMap(({ title, targets = [] }) =>
        targets.map((target) => ({ name: `${uid}: ${title}`, expression: concrete(target) })),
      ),
    )
    expect(queries.length).toBeGreaterThan(50)
    let missing: readonly string[] = []
    await vi
      .waitUntil(
        async () => {
          await sendTraffic(gateway.url)
          const found = await Promise.all(
            queries.map(async (one) => ((await query(one.expression)).length > 0 ? [] : one.name)),
          )
          missing = found.flat()
          return missing.length === 0
        },
        { timeout: 90_000, interval: 500 },
      )
      .catch(() => {})
    expect(missing).toEqual([])
    expect(await query('up == 1')).toHaveLength(1)

    for (const name of ['headgate_request_duration_seconds', 'gen_ai_client_operation_duration_seconds']) {
      const exemplars = await api<readonly { readonly exemplars: readonly { readonly labels: object }[] }[]>(
        url,
        'query_exemplars',
        { query: `${name}_bucket`, start: String(Date.now() / 1_000 - 600), end: String(Date.now() / 1_000 + 60) },
      )
      expect(exemplars.flatMap((one) => one.exemplars)).toContainEqual(
        expect.objectContaining({ labels: { trace_id: TRACE } }),
      )
    }
    const { groups } = await api<{
      readonly groups: readonly { readonly rules: readonly { readonly health: string }[] }[]
    }>(url, 'rules', {})
    expect(groups.flatMap(({ rules }) => rules).filter(({ health }) => health === 'err')).toEqual([])
  })
})
