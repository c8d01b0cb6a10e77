import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/me.ts'
import { useNow } from '../../components/now.ts'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Empty, Failed, Forbidden, Skeleton } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { ProviderCard } from './card.tsx'
import { Installed } from './installed.tsx'
import { byNeed, isUsed, type Provider, providersQuery } from './providers.ts'
import type { ProvidersSearch, TabId } from './search.ts'

const ProviderPanel = lazy(() => import('./panel.tsx').then(({ ProviderPanel: component }) => ({ default: component })))
const Doctor = lazy(() => import('./doctor.tsx').then(({ Doctor: component }) => ({ default: component })))

const VIEWS = [
  { id: 'providers', title: 'In use' },
  { id: 'installed', title: 'Installed' },
  { id: 'doctor', title: 'Doctor' },
] as const

/** Why it fails, and what has to be set. */
export function ProvidersPage() {
  const { row, tab = 'providers' } = useSearch({ from: '/within/providers' })
  const change = useChangeSearch<ProvidersSearch>()
  const { data, error, refetch } = useQuery(providersQuery)
  const mayLook = useMay('providers.write') === 'all'
  const now = useNow()
  const all = data?.items ?? []
  const close = (): void => change({ row: undefined })
  return (
    <Page
      title="Providers"
      lead="Who is asked, how they are, and what would enable others. What has failed stands first."
      peek={
        row !== undefined &&
        data && (
          <Suspense fallback={<PeekPending of={row} title={row} onClose={close} />}>
            <ProviderPanel id={row} of={all.find(({ name }) => name === row)} now={now} onClose={close} />
          </Suspense>
        )
      }
    >
      <Tabs<TabId>
        label="What is shown"
        tabs={VIEWS}
        chosen={tab}
        onChoose={(next) => change({ tab: next === 'providers' ? undefined : next, row: undefined })}
      >
        {tab === 'doctor' ? (
          mayLook ? (
            <Suspense fallback={<Skeleton rows={8} />}>
              <Doctor />
            </Suspense>
          ) : (
            <Forbidden>Only admins and owners have the gateway checked.</Forbidden>
          )
        ) : error && !data ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : !data ? (
          <Skeleton rows={4} height="7rem" />
        ) : tab === 'installed' ? (
          <Installed all={all} now={now} open={row} />
        ) : (
          <Used all={byNeed(all.filter(isUsed))} now={now} open={row} />
        )}
      </Tabs>
    </Page>
  )
}

interface UsedProps {
  readonly all: readonly Provider[]
  readonly now: number
  readonly open: string | undefined
}

function Used({ all, now, open }: UsedProps) {
  if (all.length === 0)
    return (
      <Empty title="No provider is in use." command="OPENAI_API_KEY=… headgate">
        <p>Set the key of one, and start the gateway again: “Installed” names the variables.</p>
      </Empty>
    )
  return (
    <ul className="grid grid-cols-1 gap-3 sm:grid-cols-[repeat(auto-fill,minmax(17rem,1fr))]">
      {all.map((one) => (
        <ProviderCard key={`${one.kind}/${one.name}`} of={one} now={now} isOpen={one.name === open} />
      ))}
    </ul>
  )
}
