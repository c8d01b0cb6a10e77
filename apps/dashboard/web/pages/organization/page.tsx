import { useSearch } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { useMembership } from '../../api/me.ts'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Skeleton } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { AUDIT_FILTERS, type OrganizationSearch, type OrganizationTab, TABS } from './search.ts'

const MembersTab = lazy(() =>
  import('./members/members-tab.tsx').then(({ MembersTab: component }) => ({ default: component })),
)
const ProjectsTab = lazy(() =>
  import('./projects/projects-tab.tsx').then(({ ProjectsTab: component }) => ({ default: component })),
)
const SignInTab = lazy(() =>
  import('./sign-in/sign-in-tab.tsx').then(({ SignInTab: component }) => ({ default: component })),
)
const AlertsTab = lazy(() =>
  import('./alerts/alerts-tab.tsx').then(({ AlertsTab: component }) => ({ default: component })),
)
const AuditTab = lazy(() => import('./audit/audit-tab.tsx').then(({ AuditTab: component }) => ({ default: component })))
const AuditPanel = lazy(() => import('./audit/panel.tsx').then(({ AuditPanel: component }) => ({ default: component })))
const DataTab = lazy(() => import('./data/data-tab.tsx').then(({ DataTab: component }) => ({ default: component })))

const TITLES: Readonly<Record<OrganizationTab, string>> = {
  members: 'Members',
  projects: 'Projects',
  'sign-in': 'Sign-in',
  alerts: 'Alerts',
  audit: 'Audit',
  data: 'Data',
}

const CONTENTS: Readonly<Record<OrganizationTab, ComponentType>> = {
  members: MembersTab,
  projects: ProjectsTab,
  'sign-in': SignInTab,
  alerts: AlertsTab,
  audit: AuditTab,
  data: DataTab,
}

/** Search parameters that belong to a single tab. */
const OF_A_TAB = { sort: undefined, row: undefined, state: undefined }
const NO_FILTERS = Object.fromEntries(Object.keys(AUDIT_FILTERS).map((name) => [name, undefined]))

/** Members, projects, sign-in, audit log and data of the organization. */
export function OrganizationPage() {
  const { tab = 'members', row } = useSearch({ from: '/within/organization' })
  const change = useChangeSearch<OrganizationSearch>()
  const membership = useMembership()
  const Content = CONTENTS[tab]
  return (
    <Page
      title="Organization"
      scope={membership?.name}
      lead={membership && `${membership.name} · Role: ${membership.role}`}
      isWide={tab === 'audit'}
      peek={
        tab === 'audit' &&
        row !== undefined && (
          <Suspense fallback={<PeekPending of={row} title="Entry" onClose={() => change({ row: undefined })} />}>
            <AuditPanel id={row} onClose={() => change({ row: undefined })} />
          </Suspense>
        )
      }
    >
      <Tabs
        label="Organization sections"
        tabs={TABS.map((id) => ({ id, title: TITLES[id] }))}
        chosen={tab}
        onChoose={(id) => change({ ...OF_A_TAB, ...NO_FILTERS, tab: id === 'members' ? undefined : id })}
      >
        <Suspense fallback={<Skeleton rows={8} />}>
          <Content />
        </Suspense>
      </Tabs>
    </Page>
  )
}
