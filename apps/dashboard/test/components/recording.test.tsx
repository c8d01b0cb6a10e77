// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Key } from '../../web/api/keys.ts'
import { RecordingChip, RecordingPart } from '../../web/pages/keys/recording.tsx'
import { account, choose, show } from './shown.tsx'

const NOW = Date.parse('2026-11-26T12:00:00Z')
const KEY: Key = {
  id: 'key_1',
  prefix: 'hg_p_01…ef',
  name: 'ci',
  project: 'prj_1',
  environment: 'staging',
  createdAt: 0,
  version: 1,
  secrets: [],
}
const ADMIN = account({ 'keys.read': 'all', 'traces.write': 'all' })

const open = (of: Key, me = ADMIN) =>
  show(
    '/keys',
    <>
      <RecordingChip of={of} now={NOW} />
      <RecordingPart of={of} now={NOW} />
    </>,
    {
      'GET /me': me,
      'PUT /keys/{key}/trace': async () => KEY,
      'DELETE /keys/{key}/trace': async () => KEY,
    },
  )

describe('The recording of a key', () => {
  it('is switched on for hours, and says before what is stored and who reads it', async () => {
    const { user, writes } = await open(KEY)
    expect(screen.queryByText(/^recording until/)).toBeNull()
    await user.click(await screen.findByRole('button', { name: 'Start recording' }))
    expect(screen.getByText(/encrypted for 24 hours, without credentials\. The owner of the key/)).toBeTruthy()
    await choose(user, 'Duration', '8 hours')
    const buttons = screen.getAllByRole('button', { name: 'Start recording' })
    await user.click(buttons.at(-1) as HTMLElement)
    await waitFor(() =>
      expect(writes().map(({ name, body }) => [name, body])).toEqual([['PUT /keys/{key}/trace', { hours: 8 }]]),
    )
  })

  it('is a sign that everybody sees, and is switched off', async () => {
    const { user, writes } = await open({ ...KEY, tracedUntil: NOW + 3_600_000 })
    expect(screen.getByText(/^recording until/)).toBeTruthy()
    await user.click(await screen.findByRole('button', { name: 'Stop recording' }))
    await waitFor(() => expect(writes().map(({ name }) => name)).toEqual(['DELETE /keys/{key}/trace']))
  })

  it('is not switched by members, who see the sign', async () => {
    await open({ ...KEY, tracedUntil: NOW + 3_600_000 }, account({ 'keys.read': 'own' }))
    expect(screen.getByText(/^recording until/)).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('that is over has no sign', async () => {
    await open({ ...KEY, tracedUntil: NOW })
    expect(screen.queryByText(/^recording until/)).toBeNull()
    expect(screen.getByText(/^Off\./)).toBeTruthy()
  })
})
