import { describe, expect, it, onTestFinished } from 'vitest'
import { claim, OWNER, PASSWORD } from '../../stage/people.ts'
import { startEmpty } from '../../stage/scene.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

const HELLO = { model: 'demo', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 100 }

describe.runIf(CHROMIUM)('The first hour with a gateway', { tags: ['full'], timeout: 600_000 }, () => {
  const open = useBrowser()

  it('goes from the printed link to a key, a request, its bill, a budget, and the end of the key', async () => {
    const { program, stop } = await startEmpty()
    onTestFinished(stop)
    const { origin, firstLink } = program
    // Nobody is signed in yet, and a test of the budget is refused: browsers say both.
    const { page, faults, settled } = await open(origin, { allowed: [/status of 401 .*\/me$/, /status of 429/] })
    const ask = async (secret: string, body: object = {}) => {
      const answer = await fetch(`${origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...HELLO, ...body }),
      })
      return { status: answer.status, said: await answer.text(), id: answer.headers.get('x-request-id') ?? '' }
    }
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
    const secretOf = async (label: string): Promise<string> => {
      await button('Show').click()
      return ((await page.getByRole('status', { name: label, exact: true }).textContent()) ?? '').trim()
    }

    // The first account.
    await page.goto(firstLink)
    await page.getByLabel('Email').fill(OWNER.email)
    await page.getByLabel('Name').fill(OWNER.name)
    await page.getByLabel('Password').fill(OWNER.password)
    await button('Create account').click()
    await page.waitForURL('**/start')
    await settled()

    // A key, and a request that turns green.
    await button('Create key').click()
    const first = await secretOf('Key')
    expect(first).toMatch(/^hg_d_\w{30,}$/)
    await page.getByText('Waiting for your first request…').waitFor()
    const asked = await ask(first)
    expect(asked.status, asked.said).toBe(200)
    await page.getByRole('link', { name: 'Open request' }).click()
    await page.waitForURL(`**/requests?row=${asked.id}`)
    const panel = page.getByRole('region').filter({ hasText: 'Details' })
    await panel.getByText('demo', { exact: false }).first().waitFor()
    for (const part of ['Attempts', 'Cost', 'Usage', 'Lost in translation', 'Details'])
      expect(await panel.getByRole('heading', { name: part }).count(), part).toBe(1)
    expect(await page.content(), 'the secret is gone from the page').not.toContain(first)

    // The list says that there is more, and shows it when it is asked for.
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    const next = await ask(first)
    await button('1 new').click()
    await page.locator(`[data-row="${next.id}"]`).waitFor()

    // A key with a budget, which a request hits.
    await page.goto('/keys')
    await settled()
    await button('Create key').click()
    await page.getByLabel('Name', { exact: true }).fill('ci')
    await page.getByText('Budget and expiry').click()
    await page.getByLabel('Budget in dollars').fill('0.005')
    await button('Create key').last().click()
    const ci = await secretOf('Key')
    await button('Done').click()
    await page.getByRole('heading', { name: 'ci', level: 2 }).waitFor()
    expect((await ask(ci)).status).toBe(200)
    const refused = await ask(ci, { max_tokens: 4_096 })
    expect(refused.status, refused.said).toBe(429)
    expect(refused.said).toMatch(/ci/)
    await page.goto('/budgets')
    await settled()
    expect(await page.getByRole('main').textContent()).toMatch(/\$0\.005/)

    // Another secret; the one before works for a while.
    await page.goto('/keys')
    await settled()
    await page.getByRole('link', { name: 'ci' }).click()
    await button('Rotate').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const second = await secretOf('New secret')
    expect(second).not.toBe(ci)
    await page.keyboard.press('Escape')
    await page.getByText('Did you store it?').waitFor()
    await button('Done').click()
    await page.getByRole('heading', { name: 'Secrets', exact: true }).waitFor()
    expect([(await ask(ci)).status, (await ask(second)).status]).toEqual([200, 200])

    // The end of the key.
    await button('Revoke').click()
    expect(await button('Revoke key').isDisabled()).toBe(true)
    await page.getByLabel('Type ci to revoke it').fill('ci')
    await button('Revoke key').click()
    await page.getByText('Key ci revoked.').waitFor()
    await expect.poll(async () => (await ask(second)).status, { timeout: 10_000 }).toBe(401)
    expect(faults).toEqual([])
  })

  it('says so where a budget refuses what is tried in the playground', async () => {
    const { program, stop } = await startEmpty()
    onTestFinished(stop)
    const person = await claim(program)
    const [membership] = (await person.ask<{ memberships: { organization: string }[] }>('/me')).memberships
    await person.ask('/budgets', {
      scope: 'organization',
      owner: membership?.organization,
      limit: '1000',
      period: 'day',
    })
    const { page, faults, open: go } = await open(program.origin, { person, allowed: [/status of 429/] })
    await go('/playground')
    await page.getByLabel('Message', { exact: true }).last().fill('Say hello.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /budget|left/i })
      .waitFor()
    expect(faults).toEqual([])
  })

  it('has others join by an invite, who come back to where they were once they sign in', async () => {
    const { program, stop } = await startEmpty()
    onTestFinished(stop)
    const owner = await claim(program)
    const { link } = await owner.ask<{ link: string }>('/invites', { role: 'member', email: 'alan@example.com' })
    const { page, faults, settled, context } = await open(program.origin, { allowed: [/status of 401/] })
    await page.goto(link)
    await page.getByRole('heading', { level: 1, name: /^Join / }).waitFor()
    await page.getByLabel('Name').fill('Alan')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/start')
    await settled()

    await page.goto('/requests?range=7d&model=demo')
    await settled()
    await context.clearCookies()
    await page.goto('/requests?range=7d&model=demo')
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.getByLabel('Email').fill('alan@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
    expect(new URL(page.url()).search).toBe('?range=7d&model=demo')

    // A session that ends while a page is open: what asks next leads to the sign-in, and back.
    const { items } = await owner.ask<{ items: { id: string }[] }>('/members')
    expect(items.length).toBe(2)
    await context.clearCookies()
    await page.getByRole('link', { name: 'Keys' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.getByLabel('Email').fill('alan@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    expect(faults).toEqual([])
  })
})
