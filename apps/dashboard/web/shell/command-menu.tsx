import { Autocomplete } from '@base-ui/react/autocomplete'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { chooseTheme } from '../view/theme.ts'
import { type MenuCommand, requestIdIn, useActions, useFoundItems } from './found-items.ts'
import { useDestinations } from './rail.tsx'

/** Menu that opens pages, requests, keys, models and other items by name or ID, and starts actions. */
export function CommandMenu({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  return (
    <Dialog title="Go to…" isOpen={isOpen} onClose={onClose}>
      <Commands onClose={onClose} />
    </Dialog>
  )
}

function Commands({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const pages = useDestinations()
    .flat()
    .map(
      ({ to, title, letter, words = '' }): MenuCommand => ({
        value: `${title} ${words}`,
        label: title,
        hint: `g ${letter}`,
        run: () => void navigate({ to }),
      }),
    )
  const colors = (['system', 'light', 'dark'] as const).map(
    (theme): MenuCommand => ({
      value: `theme colors ${theme}`,
      label: `Colors: ${theme}`,
      hint: '',
      run: () => chooseTheme(theme),
    }),
  )
  const found = useFoundItems(typed)
  const actions = useActions()
  const request = requestIdIn(typed)
  const requests: readonly MenuCommand[] =
    request === undefined
      ? []
      : [
          {
            value: typed,
            label: `Request ${request}`,
            hint: 'open',
            run: () => void navigate({ to: '/requests', search: { row: request } }),
          },
        ]
  const all = [...requests, ...pages, ...found, ...actions, ...colors]
  return (
    <Autocomplete.Root
      inline
      open
      items={all}
      value={typed}
      onValueChange={setTyped}
      itemToStringValue={(command: MenuCommand) => command.value}
      autoHighlight="always"
    >
      <Autocomplete.Input
        aria-label="Page, key, model or request ID"
        placeholder="Page, key, model or request ID"
        className="min-h-11 w-full rounded-field border border-field bg-bg px-3 text-lead"
      />
      <Autocomplete.Empty className="text-muted empty:hidden">
        No matches. Request IDs begin with req_.
      </Autocomplete.Empty>
      <Autocomplete.List className="max-h-[50dvh] overflow-y-auto">
        {(command: MenuCommand) => (
          <Autocomplete.Item
            key={command.value}
            value={command}
            onClick={() => {
              onClose()
              command.run()
            }}
            className="flex min-h-9 cursor-pointer items-center justify-between rounded-field px-3 data-highlighted:bg-sunken pointer-coarse:min-h-11"
          >
            <span className="truncate">{command.label}</span>
            <span className="pl-4 text-small whitespace-nowrap text-muted">{command.hint}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}
