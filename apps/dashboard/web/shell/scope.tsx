import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMe, useMembership } from '../api/me.ts'
import { projectsQuery } from '../api/queries.ts'
import { classes } from '../components/classes.ts'
import { Combobox } from '../components/combobox.tsx'
import { LABELS } from '../labels.ts'
import { useChangeSearch } from '../view/use-view.ts'

const LOOK = 'max-w-40 border-transparent! bg-transparent! px-1! hover:border-field!'

/** Common environments. Others can come from the address. */
const ENVIRONMENTS = ['production', 'staging', 'development']

/** Organization, and fields for project and environment where they act on the page. */
export function Scope({ hasProject }: { readonly hasProject: boolean }) {
  const me = useMe()
  const membership = useMembership()
  const change = useChangeSearch()
  const organizations = me?.memberships ?? []
  return (
    <div className="flex min-w-0 items-center text-muted">
      {organizations.length > 1 ? (
        <Combobox
          label="Organization"
          isLabelHidden
          className={LOOK}
          value={membership?.organization ?? ''}
          options={organizations.map(({ organization, name }) => ({ value: organization, title: name }))}
          onChange={(organization) => change({ organization, project: undefined, environment: undefined })}
        />
      ) : (
        <span className={classes('truncate px-1 text-text', hasProject && 'max-sm:hidden')}>{membership?.name}</span>
      )}
      {hasProject && <ProjectScope />}
    </div>
  )
}

function ProjectScope() {
  const projects = useQuery(projectsQuery).data?.items ?? []
  const { project = '', environment = '' } = useSearch({ strict: false })
  const change = useChangeSearch()
  const environments = [...new Set([...ENVIRONMENTS, ...(environment === '' ? [] : [environment])])]
  return (
    <>
      <span aria-hidden className="max-sm:hidden">
        /
      </span>
      <Combobox
        label={LABELS.project}
        isLabelHidden
        className={LOOK}
        value={project}
        options={[
          { value: '', title: 'All projects' },
          ...projects.map(({ id, name, archivedAt }) => ({
            value: id,
            title: name,
            hint: archivedAt === undefined ? undefined : LABELS.archived,
          })),
        ]}
        onChange={(id) => change({ project: id || undefined })}
      />
      <span aria-hidden>/</span>
      <Combobox
        label={LABELS.environment}
        isLabelHidden
        className={LOOK}
        value={environment}
        options={[
          { value: '', title: 'All environments' },
          ...environments.map((name) => ({ value: name, title: name })),
        ]}
        onChange={(name) => change({ environment: name || undefined })}
      />
    </>
  )
}
