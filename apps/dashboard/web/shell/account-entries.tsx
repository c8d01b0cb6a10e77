import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { LogOut, Monitor, Moon, Settings, Sun } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../api/call.ts'
import { client } from '../api/client.ts'
import { useMe, useMembership } from '../api/me.ts'
import { forgetDrafts } from '../components/drafts.ts'
import { ENTRY } from '../components/popover.tsx'
import { toastProblem } from '../components/toasts.tsx'
import { type ColorTheme, chooseTheme, chosenTheme } from '../view/theme.ts'

const THEMES = [
  { id: 'system', title: 'System', icon: Monitor },
  { id: 'light', title: 'Light', icon: Sun },
  { id: 'dark', title: 'Dark', icon: Moon },
] as const

/** User, color scheme, account settings and sign-out. */
export function AccountEntries() {
  const me = useMe()
  const membership = useMembership()
  const navigate = useNavigate()
  const [theme, setTheme] = useState<ColorTheme>(chosenTheme)
  const signOut = useMutation({
    mutationFn: () => callApi('POST /sign-out'),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' })
      forgetDrafts()
      client.clear()
    },
    onError: toastProblem,
  })
  return (
    <>
      <div className="px-3 py-2">
        <p className="truncate font-semibold">{me?.name}</p>
        <p className="truncate text-small text-muted">
          {me?.email} {membership && `· ${membership.role}`}
        </p>
      </div>
      <fieldset className="flex gap-1 border-y border-line p-1">
        <legend className="sr-only">Colors</legend>
        {THEMES.map(({ id, title, icon: Icon }) => (
          <button
            key={id}
            type="button"
            aria-pressed={theme === id}
            title={title}
            onClick={() => {
              chooseTheme(id)
              setTheme(id)
            }}
            className="flex min-h-8 flex-1 items-center justify-center rounded-field text-muted hover:bg-sunken aria-pressed:bg-sunken aria-pressed:text-text pointer-coarse:min-h-11"
          >
            <Icon aria-hidden size={16} />
            <span className="sr-only">{title}</span>
          </button>
        ))}
      </fieldset>
      <Link to="/account" className={ENTRY}>
        <Settings aria-hidden size={16} className="text-muted" /> Account settings
      </Link>
      <button type="button" data-closes className={ENTRY} onClick={() => signOut.mutate()}>
        <LogOut aria-hidden size={16} className="text-muted" /> Sign out
      </button>
    </>
  )
}
