import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMe, useMembership } from '../api/me.ts'
import { projectsQuery } from '../api/queries.ts'
import { LABELS } from '../labels.ts'
import { useChangeSearch } from '../view/use-view.ts'

const SELECT =
  'min-h-8 pointer-coarse:min-h-11 max-w-40 min-w-0 truncate rounded-field border border-transparent bg-transparent px-1 text-body hover:border-field'

/** Common environments. Others can come from the address. */
const ENVIRONMENTS = ['production', 'staging', 'development']

/** Select fields for organization, project and environment. */
export function Scope() {
  const me = useMe()
  const membership = useMembership()
  const projects = useQuery(projectsQuery).data?.items ?? []
  const { project = '', environment = '' } = useSearch({ strict: false })
  const change = useChangeSearch()
  const environments = [...new Set([...ENVIRONMENTS, ...(environment === '' ? [] : [environment])])]
  return (
    <div className="flex min-w-0 items-center text-muted">
      {me && me.memberships.length > 1 ? (
        <select
          aria-label="Organization"
          className={SELECT}
          value={membership?.organization}
          onChange={({ target }) => change({ organization: target.value, project: undefined, environment: undefined })}
        >
          {me.memberships.map(({ organization, name }) => (
            <option key={organization} value={organization}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <span className="truncate px-1 text-text max-sm:hidden">{membership?.name}</span>
      )}
      <span aria-hidden className="max-sm:hidden">
        /
      </span>
      <select
        aria-label={LABELS.project}
        className={SELECT}
        value={project}
        onChange={({ target }) => change({ project: target.value || undefined })}
      >
        <option value="">All projects</option>
        {projects.map(({ id, name, archivedAt }) => (
          <option key={id} value={id}>
            {archivedAt === undefined ? name : `${name} (archived)`}
          </option>
        ))}
      </select>
      <span aria-hidden>/</span>
      <select
        aria-label={LABELS.environment}
        className={SELECT}
        value={environment}
        onChange={({ target }) => change({ environment: target.value || undefined })}
      >
        <option value="">All environments</option>
        {environments.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  )
}
