// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { Combobox } from '../../web/components/combobox.tsx'
import { choose, show } from './shown.tsx'

const OPTIONS = ['alpha', 'beta', 'gamma'].map((value) => ({ value, title: value.toUpperCase() }))

function Single({ onChange, allowsOther }: { onChange(value: string): void; allowsOther?: boolean }) {
  const [value, setValue] = useState('beta')
  const change = (next: string): void => {
    setValue(next)
    onChange(next)
  }
  return (
    <>
      <Combobox label="Model" value={value} options={OPTIONS} allowsOther={allowsOther} onChange={change} />
      <button type="button">Next</button>
    </>
  )
}

function Multiple() {
  const [values, setValues] = useState<readonly string[]>(['beta'])
  return <Combobox label="Models" multiple value={values} options={OPTIONS} onChange={setValues} placeholder="Any" />
}

describe('A combobox', () => {
  it('shows its value, and is changed by mouse', async () => {
    const onChange = vi.fn()
    const { user } = await show('/keys', <Single onChange={onChange} />)
    const field = screen.getByRole('combobox', { name: 'Model' })
    expect([field.textContent, field.getAttribute('aria-expanded')]).toEqual(['BETA', 'false'])
    await choose(user, 'Model', 'GAMMA')
    expect(onChange.mock.calls).toEqual([['gamma']])
    expect([field.textContent, document.activeElement]).toEqual(['GAMMA', field])
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('is changed by keyboard: its list begins at the value, Escape keeps it, Enter chooses', async () => {
    const onChange = vi.fn()
    const { user } = await show('/keys', <Single onChange={onChange} />)
    const field = screen.getByRole('combobox', { name: 'Model' })
    field.focus()
    await user.keyboard('{ArrowDown}')
    const input = await screen.findByRole('combobox', { name: 'Search: Model' })
    await waitFor(() => expect(document.activeElement).toBe(input))
    expect(screen.getByRole('option', { name: 'BETA' }).getAttribute('aria-selected')).toBe('true')
    await user.keyboard('{Escape}')
    expect([document.activeElement, screen.queryByRole('listbox')]).toEqual([field, null])

    await user.keyboard('{ArrowDown}')
    await screen.findByRole('listbox')
    await user.keyboard('al')
    await waitFor(() => expect(screen.getAllByRole('option').map((one) => one.textContent)).toEqual(['ALPHA']))
    await user.keyboard('{Enter}')
    expect(onChange.mock.calls).toEqual([['alpha']])
    expect(document.activeElement).toBe(field)
  })

  it('takes a value that is not an option only where others are allowed', async () => {
    const onChange = vi.fn()
    const { user } = await show('/keys', <Single onChange={onChange} allowsOther />)
    await user.click(screen.getByRole('combobox', { name: 'Model' }))
    await user.type(await screen.findByRole('combobox', { name: 'Search: Model' }), 'delta{Enter}')
    expect(onChange.mock.calls).toEqual([['delta']])
  })

  it('has no option for a value that is not allowed', async () => {
    const onChange = vi.fn()
    const { user } = await show('/keys', <Single onChange={onChange} />)
    await user.click(screen.getByRole('combobox', { name: 'Model' }))
    await user.type(await screen.findByRole('combobox', { name: 'Search: Model' }), 'delta{Enter}')
    expect(screen.getByText('No matches.')).toBeTruthy()
    expect(onChange).not.toHaveBeenCalled()
  })

  it('takes several values and stays open', async () => {
    const { user } = await show('/keys', <Multiple />)
    const field = screen.getByRole('combobox', { name: 'Models' })
    await user.click(field)
    await user.click(await screen.findByRole('option', { name: 'ALPHA' }))
    await waitFor(() => expect(field.textContent).toBe('BETA, ALPHA'))
    await user.click(screen.getByRole('option', { name: 'BETA' }))
    await user.click(screen.getByRole('option', { name: 'ALPHA' }))
    await waitFor(() => expect(field.textContent).toBe('Any'))
    expect(screen.getByRole('listbox')).toBeTruthy()
  })

  it('is closed by a click elsewhere', async () => {
    const { user } = await show('/keys', <Single onChange={() => {}} />)
    await user.click(screen.getByRole('combobox', { name: 'Model' }))
    await screen.findByRole('listbox')
    const next = screen.getByRole('button', { name: 'Next' })
    await user.click(next)
    expect([screen.queryByRole('listbox'), document.activeElement]).toEqual([null, next])
  })
})
