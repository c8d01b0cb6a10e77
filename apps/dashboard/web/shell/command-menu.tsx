import { Autocomplete } from '@base-ui/react/autocomplete'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { chooseTheme } from '../view/theme.ts'
import { useDestinations } from './rail.tsx'

interface Command {
  readonly value: string
  readonly label: string
  readonly hint: string
  run(): void
}

/** Ids of requests, by which one is found whatever the filters are. */
const REQUEST = /^req_[\w-]{8,}$/

/** All that can be gone to or done, by its name. */
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
      ({ to, title, letter, words = '' }): Command => ({
        value: `${title} ${words}`,
        label: title,
        hint: `g ${letter}`,
        run: () => void navigate({ to }),
      }),
    )
  const colors = (['system', 'light', 'dark'] as const).map(
    (theme): Command => ({
      value: `theme colors ${theme}`,
      label: `Colors: ${theme}`,
      hint: '',
      run: () => chooseTheme(theme),
    }),
  )
  const requests = REQUEST.test(typed.trim())
    ? [
        {
          value: typed,
          label: `Request ${typed.trim()}`,
          hint: 'open',
          run: () => void navigate({ to: '/requests', search: { row: typed.trim() } }),
        },
      ]
    : []
  const all = [...requests, ...pages, ...colors]
  return (
    <Autocomplete.Root
      inline
      open
      items={all}
      value={typed}
      onValueChange={setTyped}
      itemToStringValue={(command: Command) => command.value}
      autoHighlight="always"
    >
      <Autocomplete.Input
        aria-label="Name of a page, or id of a request"
        placeholder="Name of a page, or id of a request"
        className="min-h-11 w-full rounded-field border border-field bg-bg px-3 text-lead"
      />
      <Autocomplete.Empty className="text-muted empty:hidden">
        Nothing is called so. Ids of requests begin with req_.
      </Autocomplete.Empty>
      <Autocomplete.List className="max-h-[50dvh] overflow-y-auto">
        {(command: Command) => (
          <Autocomplete.Item
            key={command.value}
            value={command}
            onClick={() => {
              onClose()
              command.run()
            }}
            className="flex min-h-9 cursor-pointer items-center justify-between rounded-field px-3 data-highlighted:bg-sunken pointer-coarse:min-h-11"
          >
            {command.label}
            <span className="text-small text-muted">{command.hint}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}
