import { useLocation, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { client } from '../../api/client.ts'
import { BASE_PATH } from '../../app/base.ts'
import { Code } from '../../components/code.tsx'
import { Mark } from '../../shell/rail.tsx'
import { returnAddress, tokenOf } from '../../view/return.ts'

export interface EntranceProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** Layout of pages for users who are not signed in. */
export function Entrance({ title, lead, children }: EntranceProps) {
  return (
    <main className="flex min-h-dvh items-start justify-center bg-sunken px-4 py-12 sm:items-center">
      <title>{`${title} – Headgate`}</title>
      <div className="w-full max-w-sm rounded-panel border border-line bg-bg p-6">
        <p className="mb-6 flex items-center gap-2 text-lead font-semibold">
          <Mark /> Headgate
        </p>
        <h1 className="text-title font-semibold">{title}</h1>
        {lead && <p className="mt-1 text-muted">{lead}</p>}
        <div className="mt-5">{children}</div>
      </div>
    </main>
  )
}

/** Page for an incomplete link, with a way to get a new one. */
export function BrokenLink({ command, children }: { readonly command?: string; readonly children: ReactNode }) {
  return (
    <Entrance title="This link is incomplete" lead={children}>
      {command !== undefined && <Code text={command} label="Command" />}
    </Entrance>
  )
}

/** Opens the dashboard after sign-in, at the given address. */
export function useEnter(): (to: string | undefined) => void {
  const router = useRouter()
  return (to) => {
    // Discards data that another user has loaded.
    client.clear()
    router.history.push(`${BASE_PATH}${returnAddress(to)}`)
  }
}

/** Token of the opened link; undefined = the link is incomplete. */
export function useToken(): string | undefined {
  return useLocation({ select: ({ hash }) => tokenOf(hash) })
}
