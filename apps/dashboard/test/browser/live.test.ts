import { describe, expect, it, onTestFinished } from 'vitest'
import { startScene } from '../../stage/scene.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

describe.runIf(CHROMIUM)('What is live', { tags: ['full'] }, () => {
  const open = useBrowser()

  it('comes to every window of a browser by one connection, which another one takes over', async () => {
    const scene = await startScene()
    onTestFinished(scene.stop)
    const { page: first, context, faults, open: go } = await open(scene.origin, { person: scene.people.owner })
    const streams: string[] = []
    context.on('request', (request) => {
      if (request.url().includes('/api/v1/events')) streams.push(request.url())
    })
    await go('/requests')
    await first.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
    const second = await context.newPage()
    await second.goto('/requests')
    await second.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
    expect(streams.length).toBe(1)
    await scene.chat(scene.key.secret)
    for (const page of [first, second]) await page.getByRole('button', { name: '1 new' }).waitFor()
    await first.close()
    await expect.poll(() => streams.length, { timeout: 20_000 }).toBe(2)
    await second.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
    await scene.chat(scene.key.secret)
    await second.getByRole('button', { name: '2 new' }).waitFor()
    expect(faults).toEqual([])
  })

  it('says so when it is live no longer, and leads to the sign-in when the session was ended elsewhere', async () => {
    const scene = await startScene()
    onTestFinished(scene.stop)
    const { owner } = scene.people
    const refused = [/status of 401/, /ERR_/, /status of 5\d\d/]
    const { page, faults, open: go } = await open(scene.origin, { person: scene.people.member, allowed: refused })
    await go('/requests?range=30d')
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
    const { items } = await owner.ask<{ items: { id: string; email?: string }[] }>('/members')
    const member = items.find(({ email }) => email === scene.people.member.email)
    expect(member).toBeDefined()
    await scene.people.member.ask('/sign-out', {})
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ timeout: 60_000 })
    expect(new URL(page.url()).searchParams.get('return')).toBe('/requests?range=30d')

    const other = await open(scene.origin, { person: owner, allowed: refused })
    await other.open('/spend')
    await other.page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
    await scene.program.stop()
    await other.page.getByText('Reconnecting').waitFor()
    // What was read stays.
    expect(await other.page.getByRole('main').textContent()).toContain('Spend')
    expect([...faults, ...other.faults]).toEqual([])
  })
})
