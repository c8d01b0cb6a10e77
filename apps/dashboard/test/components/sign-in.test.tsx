// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { useMe } from '../../web/api/me.ts'
import { ApiProblem, problemOf, UserError } from '../../web/api/problem.ts'
import { forgetDrafts, keepDrafts } from '../../web/components/drafts.ts'
import { TextArea, TextField } from '../../web/components/field.tsx'
import { fieldLabel } from '../../web/components/field-labels.ts'
import { Form } from '../../web/components/form.tsx'
import { NewAccountForm } from '../../web/pages/sign-in/new-account.tsx'
import { startModels } from '../../web/pages/start/page.tsx'
import { masked, Secret } from '../../web/secrets/secret.tsx'
import { SnippetTabs } from '../../web/snippets/snippet-tabs.tsx'
import { returnHash, returnOf } from '../../web/view/return.ts'
import { account, show } from './shown.tsx'

describe('The form of a new account', () => {
  it('names all invalid fields at once, and sends nothing', async () => {
    const onSubmit = vi.fn()
    const form = <NewAccountForm action="Create account" error={null} isBusy={false} onSubmit={onSubmit} />
    const { user } = await show('/first', form)
    await user.type(screen.getByLabelText('Email'), 'ada@example')
    await user.type(screen.getByLabelText('Password'), 'short')
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    for (const text of [/^Enter an email address/, 'Enter a name.', 'Enter at least 12 characters.'])
      expect(screen.getByText(text)).toBeTruthy()
    expect(onSubmit).not.toHaveBeenCalled()

    await user.type(screen.getByLabelText('Email'), '.com')
    await user.type(screen.getByLabelText('Name'), 'Ada')
    await user.type(screen.getByLabelText('Password'), ' but longer')
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    expect(onSubmit.mock.calls).toEqual([[{ email: 'ada@example.com', name: 'Ada', password: 'short but longer' }]])
  })
})

describe('The address after sign-in', () => {
  it('stays in the fragment with its token, and comes back as it was', () => {
    const address = '/invite#token=a.b~c-d_e'
    expect(returnHash(address)).not.toContain('#')
    expect(returnOf(`#${returnHash(address)}`)).toBe(address)
    for (const hash of ['', '#', '#token=abc', '#return=', '#return=%', '#return=<b>'])
      expect([hash, returnOf(hash)]).toEqual([hash, undefined])
  })
})

function Draft() {
  return useMe() === undefined ? null : (
    <Form error={null} onSubmit={() => {}}>
      <TextField label="Name" onText={() => {}} />
      <TextArea label="Message" onText={() => {}} />
      <TextField label="Secret" type="password" onText={() => {}} />
    </Form>
  )
}

describe('What was typed when a session ended', () => {
  /** Types into a form whose session ends, and reads the form of who signs in next. */
  const textsAfter = async (user: string, path = location.pathname) => {
    onTestFinished(forgetDrafts)
    const shown = await show('/keys', <Draft />)
    await shown.user.type(await screen.findByLabelText('Name'), 'ci')
    await shown.user.type(screen.getByLabelText('Message'), 'two words')
    await shown.user.type(screen.getByLabelText('Secret'), 'hg_p_secret')
    keepDrafts('usr_1', path)
    cleanup()
    await show('/keys', <Draft />, { 'GET /me': async () => ({ ...account(), id: user }) })
    await screen.findByLabelText('Name')
    return ['Name', 'Message', 'Secret'].map((label) => screen.getByLabelText<HTMLInputElement>(label).value)
  }

  it('is back for the same user, except passwords', async () => {
    expect(await textsAfter('usr_1')).toEqual(['ci', 'two words', ''])
  })

  it('is gone for another user', async () => {
    expect(await textsAfter('usr_2')).toEqual(['', '', ''])
  })

  it('is not on another page', async () => {
    expect(await textsAfter('usr_1', '/elsewhere')).toEqual(['', '', ''])
  })
})

describe("No validator's or developer's text reaches a page", () => {
  it('from an error of the page itself', () => {
    for (const error of [new TypeError("Cannot read properties of undefined (reading 'id')"), 'boom', { code: 1 }])
      expect(problemOf(error).details.detail).toBe('The page could not finish this. Reload it and try again.')
    expect(problemOf(new UserError('ada.txt is not supported.')).details.detail).toBe('ada.txt is not supported.')
  })

  it('from a field that the form does not show', async () => {
    const error = new ApiProblem({
      type: 'about:blank',
      title: 'The request is not valid',
      status: 400,
      detail: '`budgets[0].limit`: Enter text.',
      instance: '',
      errors: [{ field: 'budgets[0].limit', message: 'Enter text.' }],
    })
    const form = (
      <Form error={error} onSubmit={() => {}}>
        <TextField label="Name" onText={() => {}} />
      </Form>
    )
    await show('/keys', form)
    expect(screen.getByRole('alert').textContent).toBe('Budgets, limit: Enter text.')
    expect([fieldLabel('ttft'), fieldLabel('signUp'), fieldLabel('requests_per_minute')]).toEqual([
      'TTFT',
      'Sign up',
      'Requests per minute',
    ])
  })
})

describe('The start page', () => {
  it('begins with a model that the operator has named', () => {
    const model = (id: string, families: string[], aliasOf?: string[]) =>
      ({ id, providers: [{ provider: 'acme', families }], ...(aliasOf && { aliasOf }) }) as never
    const models = [model('a-broken', ['chat']), model('embed', ['embeddings']), model('best', ['chat'], ['a-broken'])]
    expect(startModels(models)).toEqual(['best', 'a-broken'])
  })

  it('shows the secret in the code only where it is shown above', async () => {
    const secret = 'hg_p_0123456789abcdef'
    const { user } = await show(
      '/start',
      <>
        <Secret secret={secret} label="Key" />
        <SnippetTabs origin="http://localhost" secret={secret} shownSecret={masked(secret)} model="m" prompt="hi" />
      </>,
    )
    expect(document.body.textContent).not.toContain(secret)
    await user.click(screen.getByRole('button', { name: 'Show' }))
    await waitFor(() => expect(screen.getByLabelText('Key').textContent).toBe(secret))
  })
})
