import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { snippetsIn } from '../../../../tools/docs/snippets.ts'
import { ARK_DONE, ARK_PACKAGE, arkVersion, PYTHON, runPython, useArk } from './ark.ts'
import { API_KEY, gatewayFolder } from './gateway.ts'
import { openGateway } from './local-gateway.ts'

const PAGE = join(import.meta.dirname, '../../../../docs/video.md')
const TASKS = '/api/v3/contents/generations/tasks'

async function startDemo() {
  const folder = gatewayFolder({ demo: {} })
  const gateway = await openGateway(folder.path)
  onTestFinished(async () => {
    await gateway.end()
    folder.remove()
  })
  return gateway
}

describe("Volcengine's SDK for Ark, with only its base URL changed", () => {
  it('creates, polls, lists, cancels and deletes, and reads failures', async ({ skip }) => {
    if ((await arkVersion()) === undefined) {
      process.stderr.write(
        `${PYTHON} does not have ${ARK_PACKAGE} (HEADGATE_PYTHON names another): NOTHING is shown of the Ark SDK.\n`,
      )
      return skip(`${ARK_PACKAGE} is not installed`)
    }
    const { url } = await startDemo()
    expect(await useArk(url, API_KEY)).toEqual(ARK_DONE)
  })

  it('does what the page of videos shows', async ({ skip }) => {
    if ((await arkVersion()) === undefined) return skip(`${ARK_PACKAGE} is not installed`)
    const { url } = await startDemo()
    const [snippet] = snippetsIn('docs/video.md', readFileSync(PAGE, 'utf8')).filter(
      ({ language }) => language === 'python',
    )
    const code = (snippet?.code ?? '').replace('http://127.0.0.1:8787', url)
    expect(await runPython(['-c', code], url, API_KEY)).toMatch(/^succeeded http:\S+\n$/)
  })

  it('is served what its source sends: fields that are null, ids that are repeated', async () => {
    const { url } = await startDemo()
    const headers = {
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
      'x-client-request-id': '20261122171714',
    }
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${url}${TASKS}${path}`, { headers, ...init })
      const body = (await answer.json()) as Record<string, unknown>
      return [answer.status, body, answer.headers.get('headgate-lost')] as const
    }
    const names = [
      ...[
        'safety_identifier',
        'callback_url',
        'return_last_frame',
        'service_tier',
        'execution_expires_after',
        'priority',
        'generate_audio',
      ],
      ...[
        'draft',
        'camera_fixed',
        'watermark',
        'seed',
        'resolution',
        'ratio',
        'duration',
        'frames',
        'tools',
        'output_format',
      ],
      'omni_reference_task_type',
    ]
    const body = {
      model: 'demo',
      content: [{ type: 'text', text: 'demo:queue' }],
      ...Object.fromEntries(names.map((name) => [name, null])),
    }
    const create = () => ask('', { method: 'POST', body: JSON.stringify(body) })
    const [first, second] = await Promise.all([create(), create()])
    expect([first, second]).toEqual(Array(2).fill([200, { id: expect.stringMatching(/^cgt-/) }, null]))
    const ids = [first[1].id, second[1].id]
    const listed = await ask(
      `?page_num=1&page_size=10&filter.status=queued&filter.task_ids=${ids[0]}&filter.task_ids=${ids[1]}`,
    )
    expect(listed[1]).toMatchObject({ total: 2, items: [{ status: 'queued', model: 'demo' }, { status: 'queued' }] })
    expect(await ask(`/${ids[0]}`, { method: 'DELETE' })).toEqual([200, {}, null])
    expect((await ask(`/${ids[0]}`))[1]).toMatchObject({ id: ids[0], status: 'cancelled' })
  })
})
