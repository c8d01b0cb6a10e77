/** Fields of every request: its project or space, and the version of the API. */
export interface RequestScope {
  /** Member of every body: `project_id` or `space_id`. */
  readonly owner: Readonly<Record<string, string>>
  /** Query of every path: `version=2025-10-01`. */
  readonly version: string
}

interface WatsonxFields {
  readonly version: string
  readonly projectId?: string | undefined
  readonly spaceId?: string | undefined
}

/** Fields of a project, otherwise of a space. Undefined if the config has neither. */
export function scopeOf({ version, projectId, spaceId }: WatsonxFields): RequestScope | undefined {
  const owner = projectId ? { project_id: projectId } : spaceId ? { space_id: spaceId } : undefined
  return owner && { version: `version=${version}`, owner }
}
