// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useMe } from '../../web/api/me.ts'
import { type ChatDraft, NO_DRAFT } from '../../web/pages/playground/chat/draft.ts'
import { readPresets, savePreset } from '../../web/pages/playground/chat/presets.ts'
import { PresetsMenu } from '../../web/pages/playground/chat/presets-menu.tsx'
import { show } from './shown.tsx'

const DRAFT: ChatDraft = { ...NO_DRAFT, system: 'Be kind.', temperature: '0.2', prompt: 'A secret question' }

function Menu({ onApply }: { onApply(settings: object): void }) {
  return useMe() && <PresetsMenu settings={DRAFT} onApply={onApply} />
}

describe('Presets of the playground', () => {
  beforeEach(() => localStorage.clear())

  it('are saved under a name without the message, applied, and removed', async () => {
    const onApply = vi.fn()
    const { user } = await show('/playground', <Menu onApply={onApply} />)
    await user.click(await screen.findByText('Save settings…'))
    await user.type(within(screen.getByRole('dialog')).getByLabelText('Name'), 'kind{Enter}')
    const entry = await screen.findByText('kind')
    expect(JSON.stringify({ ...localStorage })).not.toContain('A secret question')
    await user.click(entry)
    const { prompt: _, files: __, ...settings } = DRAFT
    expect(onApply.mock.calls).toEqual([[settings]])
    await user.click(screen.getByRole('button', { name: 'Remove kind', hidden: true }))
    await waitFor(() => expect(screen.queryByText('kind')).toBeNull())
    expect(readPresets('usr_1')).toEqual([])
  })

  it('are those of one user, and survive what is stored wrongly', () => {
    savePreset('usr_1', { name: 'mine', settings: DRAFT })
    expect(readPresets('usr_2')).toEqual([])
    localStorage.setItem(
      'headgate.presets.usr_2',
      JSON.stringify([{ name: 'x', settings: { seed: 3, system: 'y' } }, 1]),
    )
    const { prompt: _, files: __, ...defaults } = NO_DRAFT
    expect(readPresets('usr_2')).toEqual([{ name: 'x', settings: { ...defaults, system: 'y' } }])
    localStorage.setItem('headgate.presets.usr_2', '{')
    expect(readPresets('usr_2')).toEqual([])
  })
})
