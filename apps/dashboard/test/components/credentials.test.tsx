// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { ProviderCredential } from '../../web/api/credentials.ts'
import { CredentialPart } from '../../web/pages/providers/credentials/credential-part.tsx'
import { type Answers, account, refusal, show } from './shown.tsx'

const OWNER = account({ 'providers.write': 'all', 'credentials.write': 'all', 'members.read': 'all' })
const ADMIN = account({ 'providers.write': 'all', 'members.read': 'all' })
const SECRET = 'sk-secret-of-a-vendor'

const NONE: ProviderCredential = {
  provider: 'acme',
  adapter: 'acme',
  source: 'none',
  variables: [],
  isUsed: false,
  fields: [
    { name: 'baseUrl', isRequired: false, isSecret: false, variables: ['ACME_BASE_URL'] },
    { name: 'apiKey', isRequired: true, isSecret: true, variables: ['ACME_API_KEY'] },
  ],
}
const STORED: ProviderCredential = {
  ...NONE,
  source: 'stored',
  isUsed: true,
  stored: { fields: ['apiKey'], hosts: ['https://api.acme.example'], createdAt: 0, createdBy: 'usr_1', version: 3 },
}

const open = (of: ProviderCredential, me = OWNER, answers: Answers = {}) =>
  show('/providers', <CredentialPart provider="acme" />, {
    'GET /me': me,
    'GET /providers/credentials': { items: [of] },
    'GET /members': { items: [] },
    ...answers,
  })

describe('The credential of a provider', () => {
  it('is entered by an owner, for the version that was read, and is nowhere on the page afterwards', async () => {
    const answer = { isTested: true, credential: STORED }
    const { user, writes } = await open(STORED, OWNER, {
      ['PUT /providers/acme/credential' as 'PUT /providers/{provider}/credential']: answer,
    })
    await user.click(await screen.findByRole('button', { name: 'Replace credential' }))
    const key = screen.getByLabelText('API key')
    expect([key.getAttribute('type'), key.getAttribute('autocomplete')]).toEqual(['password', 'off'])
    await user.type(key, ` ${SECRET} `)
    await user.click(screen.getByRole('button', { name: 'Test and save' }))
    await waitFor(() => expect(screen.queryByLabelText('API key')).toBeNull())
    const [{ body, headers } = { body: {}, headers: new Headers() }] = writes()
    expect([body, headers.get('if-match')]).toEqual([{ values: { apiKey: SECRET } }, '"3"'])
    expect(document.documentElement.outerHTML).not.toContain(SECRET)
  })

  it('is not sent without a secret, and errors are at their field', async () => {
    const { user, writes } = await open(NONE, OWNER, {
      ['PUT /providers/acme/credential' as 'PUT /providers/{provider}/credential']: () =>
        refusal(400, 'The host has no public address.', [
          { field: 'values.baseUrl', message: 'The host 10.0.0.1 has no public address.' },
        ]),
    })
    await user.click(await screen.findByRole('button', { name: 'Set credential' }))
    await user.type(screen.getByLabelText('Base URL'), 'https://10.0.0.1')
    await user.click(screen.getByRole('button', { name: 'Test and save' }))
    expect(screen.getByText('Enter a value.')).toBeTruthy()
    expect(writes()).toEqual([])
    await user.type(screen.getByLabelText('API key'), SECRET)
    await user.click(screen.getByRole('button', { name: 'Test and save' }))
    expect(await screen.findByText('The host 10.0.0.1 has no public address.')).toBeTruthy()
  })

  it('says where it comes from, and cannot be changed by admins or where the file or a variable has it', async () => {
    await open(NONE, ADMIN)
    expect(await screen.findByText('Only owners can change it.')).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('of the file is read-only and says so', async () => {
    await open({ ...NONE, source: 'file', fields: [] })
    expect(await screen.findByText('From the configuration file. Change it there.')).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('that cannot be used any more says so', async () => {
    await open({ ...STORED, isUsed: false })
    expect(await screen.findByText('Stored, but not usable. Enter it again.')).toBeTruthy()
  })

  it('is not asked for by members', async () => {
    const { sent } = await open(NONE, account({}))
    await waitFor(() => expect(sent.some(({ name }) => name === 'GET /me')).toBe(true))
    expect(sent.map(({ name }) => name)).not.toContain('GET /providers/credentials')
  })
})
