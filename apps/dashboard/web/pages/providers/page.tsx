import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/me.ts'
import { providersQuery } from '../../api/models.ts'
import { useNow } from '../../components/now.ts'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Empty, Failed, Forbidden, Skeleton } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { ProviderCard } from './card.tsx'
import { Installed } from './installed.tsx'
import { byNeed, isUsed, type ProviderStatus } from './providers.ts'
import type { ProvidersSearch, ProvidersTab } from './search.ts'

const ProviderPanel = lazy(() => import('./panel.tsx').then(({ ProviderPanel: component }) => ({ default: component })))
const Doctor = lazy(() => import('./doctor.tsx').then(({ Doctor: component }) => ({ default: component })))

const VIEWS = [
  { id: 'providers', title: 'Enabled' },
  { id: 'installed', title: 'Installed' },
  { id: 'doctor', title: 'Doctor' },
] as const

/** Providers with their state, installed adapters, and checks. */
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
      lead="Status of your providers. Problems first."
      peek={
        row !== undefined &&
        data && (
          <Suspense fallback={<PeekPending of={row} title={row} onClose={close} />}>
            <ProviderPanel id={row} of={all.find(({ name }) => name === row)} now={now} onClose={close} />
          </Suspense>
        )
      }
    >
      <Tabs<ProvidersTab>
        label="View"
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
            <Forbidden>Only owners and admins can run checks.</Forbidden>
          )
        ) : error && !data ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : !data ? (
          <Skeleton rows={4} height="7rem" />
        ) : tab === 'installed' ? (
          <Installed all={all} now={now} open={row} />
        ) : (
          <EnabledProviders all={byNeed(all.filter(isUsed))} now={now} open={row} />
        )}
      </Tabs>
    </Page>
  )
}

interface EnabledProvidersProps {
  readonly all: readonly ProviderStatus[]
  readonly now: number
  readonly open: string | undefined
}

function EnabledProviders({ all, now, open }: EnabledProvidersProps) {
  if (all.length === 0)
    return (
      <Empty title="No providers enabled" command="OPENAI_API_KEY=… headgate">
        <p>Set an API key and restart the gateway. The Installed tab lists the variables.</p>
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
