import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AlertDestination, createSecret } from '@headgate/store'
import { sampleAlert } from '@headgate/store/alerts'
import { describe, expect, it, vi } from 'vitest'
import { bodyOf, budgetMessage } from '../src/alerts/messages.ts'
import { type AlertMail, createAlertOutbox } from '../src/alerts/outbox.ts'
import { loadSettings } from '../src/config/settings.ts'
import { startReceiver } from './receiver.ts'
import { startSignedIn } from './signed-in.ts'
import { temporaryFolder } from './temporary.ts'

const NAMED = { accounts: { privateHosts: ['127.0.0.1'] } }

interface Stored {
  readonly id: string
  readonly version: number
}

describe('A destination of alerts', () => {
  it('is entered by owners and admins only, tested, and its URL is in no answer, log or export', async () => {
    const receiver = await startReceiver()
    const world = await startSignedIn(NAMED)
    const address = `${receiver.url}?token=very-secret`
    const body = { name: 'Team', kind: 'webhook', rules: { spend: true }, address }
    for (const role of ['member', 'viewer'])
      expect((await (await world.member(role)).ask('/alerts/destinations', { body })).status).toBe(403)
    expect((await world.nobody.ask('/alerts/destinations', { body })).status).toBe(401)
    const added = await world.owner.ask('/alerts/destinations', { body })
    const text = await added.text()
    expect([added.status, text.includes('very-secret')]).toEqual([201, false])
    const { id } = JSON.parse(text) as Stored
    expect((await world.owner.ask(`/alerts/destinations/${id}/test`, { method: 'POST', body: {} })).status).toBe(204)
    expect(receiver.called.map(({ body }) => JSON.parse(body).type)).toEqual(['alert.test'])
    for (const path of ['/alerts/destinations', '/organization/export', '/audit', '/alerts'])
      expect(await (await world.owner.ask(path)).text(), path).not.toContain('very-secret')
    expect(await (await world.owner.ask('/audit')).text()).toContain('alert.add')
    expect(world.gateway.output()).not.toContain('very-secret')
  })

  it('is refused at a private address, whatever its form, unless the file names it', async () => {
    const receiver = await startReceiver()
    const world = await startSignedIn({})
    const { port } = new URL(receiver.url)
    for (const address of [
      receiver.url,
      `https://127.0.0.1:${port}/`,
      `https://localhost:${port}/`,
      `https://[::ffff:127.0.0.1]:${port}/`,
      'https://169.254.169.254/',
      'ftp://example.com/',
      'no url',
    ]) {
      const body = { name: 'Team', kind: 'slack', rules: {}, address }
      expect((await world.owner.ask('/alerts/destinations', { body })).status, address).toBe(400)
    }
    expect(receiver.called).toEqual([])
  })

  it('keeps its URL when its rules change, and not for another kind', async () => {
    const receiver = await startReceiver()
    const world = await startSignedIn(NAMED)
    const body = { name: 'Team', kind: 'webhook', rules: {}, address: receiver.url }
    const { id } = await world.owner.read<Stored>('/alerts/destinations', { body })
    const put = (more: object) =>
      world.owner.ask(`/alerts/destinations/${id}`, { method: 'PUT', body: { name: 'Team', rules: {}, ...more } })
    expect((await put({ kind: 'webhook', rules: { spend: true } })).status).toBe(200)
    expect((await put({ kind: 'slack' })).status).toBe(404)
    expect((await world.owner.ask(`/alerts/destinations/${id}/test`, { method: 'POST', body: {} })).status).toBe(204)
    const db = new DatabaseSync(join(world.folder, '.headgate', 'headgate.db'))
    db.exec("UPDATE alert_destinations SET kind = 'slack'")
    db.close()
    expect((await world.owner.ask(`/alerts/destinations/${id}/test`, { method: 'POST', body: {} })).status).toBe(502)
    expect((await world.owner.ask(`/alerts/destinations/${id}`, { method: 'DELETE' })).status).toBe(204)
  })
})

describe('The outbox', () => {
  const open = async (minutes: () => object, rules: AlertDestination['rules']) => {
    const settings = await loadSettings({}, { folder: temporaryFolder({}), environment: {} })
    const mails: AlertMail[] = []
    const firing = new Set<string>()
    const all: AlertDestination[] = []
    const outbox = createAlertOutbox({
      settings,
      secret: createSecret('0123456789abcdef0123456789abcdef'),
      onProblem: vi.fn(),
      store: {
        usage: { minutes: async () => minutes() },
        destinations: {
          list: async () => all,
          fire: async ({ topic, isFiring }: { topic: string; isFiring: boolean }) => {
            const was = firing.has(topic)
            if (isFiring) firing.add(topic)
            else firing.delete(topic)
            return was !== isFiring
          },
        },
      } as unknown as Parameters<typeof createAlertOutbox>[0]['store'],
    })
    outbox.setMail(async (mail) => void mails.push(mail))
    const of = { id: 'dest_1', kind: 'mail' } as const
    all.push({ ...of, name: 'Ops', rules, ...(await outbox.seal(of, 'ops@example.com')), createdAt: 0, version: 1 })
    return { outbox, mails }
  }

  it('tells once that errors or latency are above their limit, and once that they are below it again', async () => {
    let failed = 30
    let p95 = 5_000
    const minutes = () => ({
      minutes: [{ byOutcome: { served: 70, failed, refused: 500, canceled: 100 } }],
      firstByteMs: { p50: 1, p95, requests: 100 },
    })
    const rules = { errors: { above: 10, minutes: 5 }, latency: { above: 1_000, minutes: 5 } }
    const { outbox, mails } = await open(minutes, rules)
    await outbox.check()
    await outbox.check()
    expect(mails.map(({ alert }) => alert.subject)).toEqual(['Headgate: error rate alert', 'Headgate: latency alert'])
    expect(mails[0]?.alert.text).toBe('The share of failed requests was 30 % in the last 5 minutes, above 10 %.\n')
    failed = 1
    p95 = 200
    await outbox.check()
    expect(mails.slice(2).map(({ alert }) => alert.subject)).toEqual([
      'Headgate: error rate is normal',
      'Headgate: latency is normal',
    ])
    outbox.end()
  })

  it('does not judge by few requests', async () => {
    const { outbox, mails } = await open(
      () => ({ minutes: [{ byOutcome: { failed: 19 } }], firstByteMs: { p50: 1, p95: 9_000, requests: 19 } }),
      { errors: { above: 1, minutes: 5 }, latency: { above: 1, minutes: 5 } },
    )
    await outbox.check()
    expect(mails).toEqual([])
    outbox.end()
  })

  it('sends alerts of budgets to destinations for spending, and says if there is none', async () => {
    const { outbox, mails } = await open(() => ({}), { spend: true })
    const ended = new AbortController().signal
    expect(await outbox.budget(sampleAlert(0), ended)).toBe(true)
    expect(mails[0]?.alert.text).toContain('50 % of the budget "test without a budget"')
    const other = await open(() => ({}), {})
    expect(await other.outbox.budget(sampleAlert(0), ended)).toBe(false)
    outbox.end()
    other.outbox.end()
  })
})

describe('A message', () => {
  it('has the form of its receiver, and names of budgets are text', () => {
    const alert = sampleAlert(0)
    const message = budgetMessage({ ...alert, budget: { ...alert.budget, name: '<!channel> & "x"' } })
    expect(JSON.parse(bodyOf('slack', message)).text).toContain('&lt;!channel&gt; &amp; ')
    expect(JSON.parse(bodyOf('teams', message)).attachments[0].content.body[1].text).toContain('<!channel>')
    expect(JSON.parse(bodyOf('webhook', message))).toMatchObject({ type: 'budget.threshold' })
  })
})
