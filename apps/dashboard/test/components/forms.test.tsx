// @vitest-environment happy-dom
import { KEY_RIGHT_NAMES, KEY_RIGHTS } from '@headgate/gateway/ports/key-rights'
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { BudgetItem } from '../../web/api/budgets.ts'
import type { ResponseOf } from '../../web/api/call.ts'
import { LIMIT_NAMES } from '../../web/limits/limit-draft.ts'
import { BudgetForm } from '../../web/pages/budgets/budget-form.tsx'
import { CreateKey } from '../../web/pages/keys/create.tsx'
import { SecretHost } from '../../web/secrets/secret-host.tsx'
import { type Answers, account, choose, refusal, show } from './shown.tsx'

const PROJECTS: ResponseOf<'GET /projects'> = {
  items: ['Default', 'Research'].map((name, index) => ({
    id: `prj_${index}`,
    organization: 'org_1',
    name,
    createdAt: 0,
    version: 1,
    sharesResponses: false,
  })),
}
const SECRET = 'hg_p_0123456789abcdef'

const MADE: ResponseOf<'POST /keys'> = {
  key: SECRET,
  stored: {
    id: 'key_9',
    prefix: 'hg_p_01…ef',
    name: 'ci',
    project: 'prj_1',
    environment: 'staging',
    createdAt: 0,
    version: 1,
    secrets: [],
  },
}

describe('The form of a new key', () => {
  const open = async (answers: Answers = {}) => {
    const onCreated = vi.fn()
    const form = (
      <>
        <CreateKey onClose={() => {}} onCreated={onCreated} />
        <SecretHost />
      </>
    )
    const shown = await show('/keys', form, { 'GET /projects': PROJECTS, 'POST /keys': async () => MADE, ...answers })
    await screen.findByLabelText('Project')
    return { onCreated, ...shown }
  }

  it('sends all that a key may have, and shows its secret once', async () => {
    const { user, writes, onCreated } = await open()
    const type = (label: string, text: string) => user.type(screen.getByLabelText(label), text)
    await type('Name', ' ci ')
    await choose(user, 'Environment', 'staging')
    await choose(user, 'Project', 'Research')
    await user.click(screen.getByLabelText('Service key'))
    await type('Budget in dollars', '12.50')
    await choose(user, 'Period', 'Day')
    await type('Expires in days', '7')
    for (const label of ['Requests per minute', 'Tokens per minute', 'Concurrent requests']) await type(label, '60')
    for (const [index, name] of KEY_RIGHT_NAMES.entries()) await type(KEY_RIGHTS[name].title, `a${index}, b${index},`)
    const from = Date.now()
    await user.click(screen.getByRole('button', { name: 'Create key' }))
    await waitFor(() =>
      expect(onCreated).toHaveBeenCalledWith('key_9', expect.anything(), undefined, expect.anything()),
    )

    expect(writes()).toHaveLength(1)
    const [{ name, body, headers } = { name: '', body: {}, headers: new Headers() }] = writes()
    expect(name).toBe('POST /keys')
    expect(headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
    const { expiresAt, ...rest } = body as { expiresAt: number }
    expect(Math.round((expiresAt - from) / 86_400_000)).toBe(7)
    expect(rest).toEqual({
      name: 'ci',
      environment: 'staging',
      project: 'prj_1',
      service: true,
      budgets: [{ limit: '12500000000', period: 'day' }],
      limits: Object.fromEntries(LIMIT_NAMES.map((limit) => [limit, 60])),
      ...Object.fromEntries(KEY_RIGHT_NAMES.map((right, index) => [right, [`a${index}`, `b${index}`]])),
    })

    const dialog = await screen.findByRole('dialog', { name: 'New key ci' })
    expect(dialog.textContent).not.toContain(SECRET)
    await user.click(screen.getByRole('button', { name: 'Show' }))
    expect(screen.getByLabelText('Key').textContent).toBe(SECRET)
    await user.click(screen.getByRole('button', { name: 'Done' }))
    expect(document.body.textContent).not.toContain(SECRET)
  })

  it('sends nothing until every field is valid, and opens what is folded where one is not', async () => {
    const { user, writes } = await open()
    const fold = () => screen.getByLabelText('Expires in days').closest('details')
    expect(fold()?.open).toBe(false)
    await user.type(screen.getByLabelText('Expires in days'), '0')
    await user.type(screen.getByLabelText('Budget in dollars'), 'much')
    await user.type(screen.getByLabelText('Concurrent requests'), '1.5')
    await user.click(screen.getByRole('button', { name: 'Create key' }))
    expect(screen.getByText('Enter whole days, at most 3660.')).toBeTruthy()
    expect(screen.getByText('Enter an amount in dollars, such as 50 or 0.5.')).toBeTruthy()
    expect(screen.getByText('Enter a whole number of at least 1.')).toBeTruthy()
    expect([fold()?.open, writes().length]).toEqual([true, 0])
  })

  it('shows what the server refuses at its field, and can be sent again with another idempotency key', async () => {
    const { user, writes } = await open({
      'POST /keys': () => refusal(400, 'Not valid.', [{ field: 'name', message: 'This name is taken.' }]),
    })
    const button = screen.getByRole('button', { name: 'Create key' })
    await user.type(screen.getByLabelText('Name'), 'ci{Enter}')
    expect(await screen.findByText('This name is taken.')).toBeTruthy()
    await user.type(screen.getByLabelText('Name'), '2')
    await user.click(button)
    await waitFor(() => expect(writes()).toHaveLength(2))
    expect(new Set(writes().map(({ headers }) => headers.get('idempotency-key'))).size).toBe(2)
  })

  it('asks who may not set bounds for no more than they may give', async () => {
    await open({ 'GET /me': account({ 'keys.read': 'own', 'keys.write': 'own' }) })
    expect(screen.getByLabelText('Models')).toBeTruthy()
    for (const label of ['Scopes', 'Service key', 'Budget in dollars', 'Requests per minute'])
      expect(screen.queryByLabelText(label)).toBeNull()
  })
})

const BUDGET: BudgetItem = {
  id: 'bgt_1',
  name: 'Research',
  scope: 'project',
  owner: 'prj_1',
  limit: '50000000000',
  spent: '20000000000',
  tiedUp: '0',
  held: '0',
  period: 'forever',
  zone: 'UTC',
  soft: false,
  counts: 'charged',
  source: 'store',
  version: 4,
}

describe('The form of a budget', () => {
  const open = async (of: BudgetItem | undefined, answers: Answers = {}) => {
    const onDone = vi.fn()
    const form = <BudgetForm of={of} onDone={onDone} onCancel={() => {}} />
    return { onDone, ...(await show('/budgets', form, { 'GET /projects': PROJECTS, ...answers })) }
  }

  it('sets a budget of a project, and says before what it means', async () => {
    const { user, writes, onDone } = await open(undefined, { 'POST /budgets': async () => BUDGET })
    const button = screen.getByRole('button', { name: 'Create budget' })
    await choose(user, 'Scope', 'Project')
    await choose(user, 'Owner', 'Research')
    expect(button).toHaveProperty('disabled', true)
    await user.type(screen.getByLabelText('Limit in dollars'), '1,5')
    expect(screen.getByText('Enter an amount in dollars, such as 50 or 0.5.')).toBeTruthy()
    await user.clear(screen.getByLabelText('Limit in dollars'))
    await user.type(screen.getByLabelText('Limit in dollars'), '1.5')
    expect(screen.getByText(/^\$1\.50 per month\. A request that could exceed the limit is refused/)).toBeTruthy()
    await user.click(screen.getByLabelText('Alert only'))
    expect(screen.getByText(/^Sends an alert when \$1\.50 per month is spent/)).toBeTruthy()
    await user.click(screen.getByRole('combobox', { name: 'Time zone' }))
    await user.type(await screen.findByRole('combobox', { name: 'Search: Time zone' }), 'berlin')
    await user.click(await screen.findByRole('option', { name: 'Europe/Berlin' }))
    await choose(user, 'Count', 'Provider cost')
    await user.click(button)
    await waitFor(() => expect(onDone).toHaveBeenCalledWith('bgt_1'))
    expect(writes().map(({ name, body }) => [name, body])).toEqual([
      [
        'POST /budgets',
        {
          scope: 'project',
          owner: 'prj_1',
          limit: '1500000000',
          period: 'month',
          soft: true,
          counts: 'cost',
          zone: 'Europe/Berlin',
        },
      ],
    ])
  })

  it('changes the version that was read, and says what would be left', async () => {
    const { user, writes, onDone } = await open(BUDGET, { 'PUT /budgets/{budget}': async () => BUDGET })
    expect(screen.queryByLabelText('Scope')).toBeNull()
    expect(screen.queryByRole('combobox', { name: 'Time zone' })).toBeNull()
    const amount = screen.getByLabelText('Limit in dollars')
    expect(amount).toHaveProperty('value', '50')
    await user.clear(amount)
    await user.type(amount, '30')
    expect(screen.getByText('Lowered by $20.00: $10.00 left. Never resets.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(onDone).toHaveBeenCalledWith('bgt_1'))
    const [{ name, headers, body } = { name: '', headers: new Headers(), body: {} }] = writes()
    expect([name, headers.get('if-match')]).toEqual(['PUT /budgets/{budget}', '"4"'])
    expect(body).toMatchObject({ limit: '30000000000', name: 'Research', scope: 'project', owner: 'prj_1' })
  })

  it('opens what is folded where the server refuses it', async () => {
    const { user } = await open(BUDGET, {
      'PUT /budgets/{budget}': () =>
        refusal(400, 'Not valid.', [{ field: 'counts', message: 'This budget counts what is charged.' }]),
    })
    const fold = screen.getByLabelText('Count').closest('details')
    expect(fold?.open).toBe(false)
    await user.click(screen.getByLabelText('Alert only'))
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByText('This budget counts what is charged.')).toBeTruthy()
    expect([fold?.open, screen.getByRole('alert').textContent]).toEqual([true, 'Check the highlighted field.'])
  })
})
